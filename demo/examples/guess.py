# input() waits for you: type into the field under the output.
import random

secret = random.randint(1, 100)
print("I am thinking of a number from 1 to 100.")

tries = 0
while True:
    try:
        answer = input("Your guess? ")
    except EOFError:
        print("\nYou give up. It was", secret)
        break
    tries += 1
    try:
        guess = int(answer)
    except ValueError:
        print("That is no number.")
        continue
    if guess == secret:
        print(f"Yes! It took you {tries} {'try' if tries == 1 else 'tries'}.")
        break
    print("Higher." if guess < secret else "Lower.")

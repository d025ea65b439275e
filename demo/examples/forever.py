# This never ends by itself. Press Stop: the guest is gone at once,
# whatever it is doing.
count = 0
while True:
    count += 1
    if count % 1_000_000 == 0:
        print(f"{count:,} and counting", flush=True)

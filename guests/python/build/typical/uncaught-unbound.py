def add():
    count += 1


add()

def one():
    return 11

def two():
    return 2

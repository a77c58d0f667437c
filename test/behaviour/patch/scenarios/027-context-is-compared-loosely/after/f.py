class A:
    def one(self):
        pass
    def two(self):
        return 2

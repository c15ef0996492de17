class Hostile(Exception):
    def __str__(self):
        raise RuntimeError("no")

    __repr__ = __str__


raise Hostile()

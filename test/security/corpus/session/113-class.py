class Hostile(Exception):
    __class__ = property(lambda self: 1 / 0)


raise Hostile()

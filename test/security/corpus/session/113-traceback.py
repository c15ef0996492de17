class Hostile(Exception):
    __traceback__ = property(lambda self: 1 / 0)


raise Hostile()

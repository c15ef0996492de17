class Hostile(SystemExit):
    code = property(lambda self: 1 / 0)


raise Hostile()

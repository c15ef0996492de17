class Hostile(Exception):
    def __getattribute__(self, name):
        raise SystemExit(5)


raise Hostile()

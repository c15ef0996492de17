class Hostile:
    def __repr__(self):
        raise SystemExit(3)


Hostile()

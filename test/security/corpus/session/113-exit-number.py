class Evil(int):
    def __and__(self, other):
        raise RuntimeError("no")

    __rand__ = __index__ = __int__ = __eq__ = __and__


raise SystemExit(Evil(4))

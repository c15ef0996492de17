print("so far", flush=True)
class Evil:
    def __lt__(self, other):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass


sorted([Evil(), Evil()])

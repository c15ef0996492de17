import sys


class Hook:
    def find_spec(self, name, path=None, target=None):
        raise ImportError("hooked")


sys.meta_path.insert(0, Hook())
sys.path_hooks.clear()
try:
    import colorsys
except ImportError as error:
    print(error)

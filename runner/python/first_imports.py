"""Tells when a program, or something that it imports, has loaded a module for the first time."""

import sys

_loading = set()


def on_first_import(name, loaded, without=None):
    """
    Calls `loaded` after the first import of the module `name`, in the thread that imports it; at once where that
    has been. Meanwhile the module `without` is not to be had.
    """
    if name in sys.modules:
        loaded()
    else:
        sys.meta_path.insert(0, _Finder(name, loaded, without))


def is_loading():
    """Whether such an import is under way."""
    return bool(_loading)


class _Finder:
    """Stands before all others until its module has been loaded."""

    def __init__(self, name, loaded, without):
        self.name = name
        self.loaded = loaded
        self.without = without

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                spec.loader = _Loader(spec.loader, self)
                return spec
        return None


class _Loader:
    """Loads with another loader and is not seen any more when it has."""

    def __init__(self, loader, finder):
        self._loader = loader
        self._finder = finder

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        finder = self._finder
        module.__spec__.loader = module.__loader__ = self._loader
        is_kept_out = finder.without is not None and sys.modules.setdefault(finder.without, None) is None
        _loading.add(finder.name)
        try:
            self._loader.exec_module(module)
            if finder in sys.meta_path:
                sys.meta_path.remove(finder)
            finder.loaded()
        except BaseException:
            # Half of it would stand in the way of the next attempt.
            for name in [name for name in sys.modules if name.startswith(f"{finder.name}.")]:
                del sys.modules[name]
            if finder not in sys.meta_path:
                sys.meta_path.insert(0, finder)
            raise
        finally:
            _loading.discard(finder.name)
            if is_kept_out:
                sys.modules.pop(finder.without, None)

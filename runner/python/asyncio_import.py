"""Tells when a program, or something that it imports, has loaded asyncio."""

import sys

_loading = False


def on_asyncio_import(loaded):
    """Calls `loaded` after asyncio's first import, in the thread that imports it."""
    if "asyncio" in sys.modules:
        loaded()
    else:
        sys.meta_path.insert(0, _Finder(loaded))


def is_loading():
    """Whether the first import is under way."""
    return _loading


class _Finder:
    """Stands before all others until asyncio has been loaded."""

    def __init__(self, loaded):
        self.loaded = loaded

    def find_spec(self, name, path=None, target=None):
        if name != "asyncio":
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
        global _loading
        module.__spec__.loader = module.__loader__ = self._loader
        # Without a network nothing needs `ssl`, which takes a fifth of the time and memory of asyncio.
        without_ssl = sys.modules.setdefault("ssl", None) is None
        _loading = True
        try:
            self._loader.exec_module(module)
            if self._finder in sys.meta_path:
                sys.meta_path.remove(self._finder)
            self._finder.loaded()
        except BaseException:
            # Half of it would stand in the way of the next attempt.
            for name in [name for name in sys.modules if name.startswith("asyncio.")]:
                del sys.modules[name]
            if self._finder not in sys.meta_path:
                sys.meta_path.insert(0, self._finder)
            raise
        finally:
            _loading = False
            if without_ssl:
                sys.modules.pop("ssl", None)

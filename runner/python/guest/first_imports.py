"""Calls a function after a module was imported for the first time."""

import sys

_loading = set()


def on_first_import(name, loaded, without=None):
    """Calls `loaded` after the first import of the module `name`, in the thread that imports it, or at once if it was
    imported before. While it is imported, the module `without` cannot be imported.
    """
    if name in sys.modules:
        loaded()
    else:
        sys.meta_path.insert(0, _Finder(name, loaded, without))


def is_loading():
    """Whether such an import is in progress."""
    return bool(_loading)


class _Finder:
    """A finder that comes before the others until its module has been imported."""

    def __init__(self, name, loaded, without):
        self.name = name
        self.loaded = loaded
        self.without = without

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        finders = iter(sys.meta_path)
        # Asks only those behind it, because another finder of this class may wait for the same module.
        for finder in finders:
            if finder is self:
                break
        for finder in finders:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                spec.loader = _Loader(spec.loader, self)
                return spec
        return None


class _Loader:
    """Loads a module with another loader, which then takes its place."""

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
        is_blocked = finder.without is not None and sys.modules.setdefault(finder.without, None) is None
        _loading.add(finder.name)
        try:
            self._loader.exec_module(module)
            if finder in sys.meta_path:
                sys.meta_path.remove(finder)
            finder.loaded()
        except BaseException:
            # Removes the submodules that were imported, because they would break the next attempt.
            for name in [name for name in sys.modules if name.startswith(f"{finder.name}.")]:
                del sys.modules[name]
            if finder not in sys.meta_path:
                sys.meta_path.insert(0, finder)
            raise
        finally:
            _loading.discard(finder.name)
            if is_blocked:
                sys.modules.pop(finder.without, None)

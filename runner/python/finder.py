"""Makes the package `ptc_runner` of modules that are in memory, and starts one of them.

The bootstraps of this folder and of `compiled` run this file before anything can be imported.
"""

import sys

# Available without loading the package `importlib`.
from _frozen_importlib import ModuleSpec


class _Finder:
    """Finds the runner's modules."""

    def __init__(self, names, load):
        self._names = names
        self._packages = set()
        for name in names:
            while name := name.rpartition(".")[0]:
                self._packages.add(name)
        self._load = load

    def find_spec(self, name, path=None, target=None):
        is_package = name in self._packages
        return ModuleSpec(name, self, is_package=is_package) if is_package or name in self._names else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        if module.__name__ in self._names:
            exec(self._load(module.__name__), module.__dict__)


def start(name, arguments, names, load):
    """Calls `main` of the module `name`. `names` are those of all modules, and `load` returns the code of one, because
    only a few of them are needed.
    """
    sys.meta_path.insert(0, _Finder(names, load))
    __import__(name)
    sys.modules[name].main(arguments)

"""Where programs find modules: first in their own directory, as in plain Python. The modules that the runner uses are
always those of the standard library, because it loads some of them after programs have run.
"""

import sys

from _frozen_importlib import BuiltinImporter, FrozenImporter
from _frozen_importlib_external import PathFinder

# What the runner loads late or in advance, and what that loads or tries to load, in any version of Python and on any
# system. A test compares the list.
_NAMES = frozenset(
    """
    __future__ abc annotationlib array ast asyncio atexit binascii codecs codeop collections concurrent contextlib
    contextvars copyreg datetime dis encodings enum errno fcntl functools gc genericpath grp heapq importlib inspect
    io itertools json keyword linecache locale logging marshal math msvcrt nt ntpath opcode operator os posix
    posixpath pwd re reprlib select selectors signal site socket sre_compile sre_constants sre_parse stat string
    struct subprocess sysconfig textwrap threading time token tokenize traceback tracemalloc types typing
    unicodedata warnings weakref winreg zipimport _overlapped _winapi
    """.split()
)
# Modules of native code, with which others begin. Python 3.9 does not list them.
_STANDARD = _NAMES.union(name for name in getattr(sys, "stdlib_module_names", ()) if name.startswith("_"))


def put_first(directory):
    """Makes programs find modules in `directory` before all others."""
    sys.meta_path.insert(0, _StandardFinder(list(sys.path)))
    sys.path.insert(0, directory)


class _StandardFinder:
    """Finds the modules that the runner uses, and only where nothing of a program is."""

    def __init__(self, path):
        self._path = path

    def find_spec(self, name, path=None, target=None):
        if path is not None or not (name in _STANDARD or name.startswith("_")):
            return None
        spec = BuiltinImporter.find_spec(name) or FrozenImporter.find_spec(name) or PathFinder.find_spec(name, self._path)
        if spec is None and name in _STANDARD:
            # It belongs to another system, and the module that tries to load it can do without.
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return spec

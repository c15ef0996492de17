"""Makes the package `ptc_runner` of the output of `compile.py`, and starts the supervisor.

The interpreter gets this file by `-c`, the compiled modules on descriptor 4, and after `--` the
arguments of the supervisor.
"""

import os
import sys
from _frozen_importlib import ModuleSpec
from marshal import loads

_CODES = 4


class _CodeFinder:
    """Finds the runner's compiled modules."""

    def __init__(self, codes):
        self._codes = codes

    def find_spec(self, name, path=None, target=None):
        package, _, name = name.partition(".")
        if package == "ptc_runner" and (name == "" or name in self._codes):
            return ModuleSpec(f"{package}.{name}" if name else package, self, is_package=not name)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        code = self._codes.get(module.__name__.rpartition(".")[2])
        if code is not None:
            exec(loads(code), module.__dict__)


def _read_codes():
    version, codes = loads(b"".join(iter(lambda: os.read(_CODES, 1 << 20), b"")))
    if version != sys.hexversion:
        sys.exit("The machine's Python was updated after the first sandbox was started. Restart the host process.")
    return codes


def _close_inherited():
    """Closes descriptors that the host passed on by mistake. `bwrap` would pass them on to
    programs.
    """
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2:
                os.close(int(name))
        except OSError:
            # The descriptor that listed the directory.
            pass


sys.meta_path.insert(0, _CodeFinder(_read_codes()))
_close_inherited()

from ptc_runner.supervisor import main  # noqa: E402

main(sys.argv[2:])

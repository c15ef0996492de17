"""Makes the package `ptc_runner` of what `compile.py` compiled, and starts the supervisor.

The interpreter gets this file by `-c`, the codes on descriptor 4, and after `--` what the supervisor takes.
"""

import os
import sys
from _frozen_importlib import ModuleSpec
from marshal import loads

_CODES = 4


class _CodeFinder:
    """Finds the runner's modules among its codes."""

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
        sys.exit("The machine's Python is another one since the first sandbox was started: start this process anew.")
    return codes


def _close_inherited():
    """A host may have descriptors that its children inherit, and `bwrap` passes on what it is given."""
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2:
                os.close(int(name))
        except OSError:
            # The one that the listing itself needed.
            pass


sys.meta_path.insert(0, _CodeFinder(_read_codes()))
_close_inherited()

from ptc_runner.supervisor import main  # noqa: E402

main(sys.argv[2:])

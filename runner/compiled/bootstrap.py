"""Makes the package `ptc_runner` of what `compile.py` compiled, and starts the supervisor.

The interpreter gets this file by `-c`, then pairs of names and codes, `--`, and what the supervisor takes. The code
named `version` is that of the interpreter that they were compiled by.
"""

import os
import sys
from _frozen_importlib import ModuleSpec
from binascii import a2b_base64
from marshal import loads


class _CodeFinder:
    """Finds the runner's modules among the command line's codes."""

    def __init__(self, codes):
        self._codes = codes

    def find_spec(self, name, path=None, target=None):
        if name == "ptc_runner" or name in self._codes:
            return ModuleSpec(name, self, is_package=name == "ptc_runner")
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        code = self._codes.get(module.__name__)
        if code is not None:
            exec(loads(a2b_base64(code)), module.__dict__)


def _close_inherited():
    """A host may have descriptors that its children inherit, and `bwrap` passes on what it is given."""
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2:
                os.close(int(name))
        except OSError:
            # The one that the listing itself needed.
            pass


_close_inherited()
arguments = iter(sys.argv[1:])
codes = {f"ptc_runner.{name}": next(arguments) for name in iter(lambda: next(arguments), "--")}
if codes.pop("ptc_runner.version") != str(sys.hexversion):
    sys.exit("The machine's Python is another one since the first sandbox was started: start this process anew.")
sys.meta_path.insert(0, _CodeFinder(codes))

from ptc_runner.supervisor import main  # noqa: E402

main(list(arguments))

"""Makes the package `ptc_runner` of the sources on the command line, and starts the supervisor.

The interpreter gets this file by `-c`, then pairs of a module's name and its source, then `--` and the arguments of
the supervisor. A module is compiled when it is first imported, because the supervisor needs only a few of them.
"""

import sys
from importlib.machinery import ModuleSpec


class _SourceFinder:
    """Finds the runner's modules among the sources on the command line."""

    def __init__(self, sources):
        self._sources = sources

    def find_spec(self, name, path=None, target=None):
        if name == "ptc_runner" or name in self._sources:
            return ModuleSpec(name, self, is_package=name == "ptc_runner")
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        source = self._sources.get(name, "")
        exec(compile(source, f"<{name}>", "exec", dont_inherit=True), module.__dict__)


arguments = iter(sys.argv[1:])
sources = {f"ptc_runner.{name}": next(arguments) for name in iter(lambda: next(arguments), "--")}
sys.meta_path.insert(0, _SourceFinder(sources))

from ptc_runner.supervisor import main  # noqa: E402

main(list(arguments))

"""Makes modules of the sources on the command line, and starts the guest for bash.

The interpreter gets this file by `-c`, then pairs of a module's name and its source, each after the modules that it
imports, and after `--` the names and texts of the shell scripts. If the sandbox has a file for the tools' names, its
path follows as `command`.
"""

import sys
from types import ModuleType

arguments = iter(sys.argv[1:])
sys.modules["ptc_runner"] = package = ModuleType("ptc_runner")
package.__path__ = []
for name in iter(lambda: next(arguments), "--"):
    module = ModuleType(f"ptc_runner.{name}")
    module.__package__ = "ptc_runner"
    sys.modules[module.__name__] = module
    exec(compile(next(arguments), f"<{name}>", "exec", dont_inherit=True), module.__dict__)

sys.modules["ptc_runner.shell_guest"].main(dict(zip(arguments, arguments)))

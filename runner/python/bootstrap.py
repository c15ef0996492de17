"""Starts a module of those whose sources are on the command line.

The interpreter gets this file by `-c`, then the name of the module to start, then pairs of a module's name and its
source, then `--` and the arguments of the module to start.
"""

import sys


def _load(name):
    return compile(sources[name], f"<{name}>", "exec", dont_inherit=True)


arguments = iter(sys.argv[1:])
started = next(arguments)
sources = {name: next(arguments) for name in iter(lambda: next(arguments), "--")}
finder = {"__name__": "ptc_runner.finder"}
exec(_load("ptc_runner.finder"), finder)
finder["start"](started, list(arguments), sources, _load)

"""Starts a module of those whose sources are in a directory.

The interpreter gets this file by `-c`, then the directory, the name of the module to start, and its arguments. The files
in the directory have the names of their modules: a volume that Kubernetes makes of a ConfigMap has no other folders.
"""

import os
import sys


def _load(name):
    with open(f"{directory}/{name}.py", encoding="utf-8") as file:
        return compile(file.read(), f"<{name}>", "exec", dont_inherit=True)


directory, started, *arguments = sys.argv[1:]
names = {name[:-3] for name in os.listdir(directory) if name.endswith(".py")}
finder = {"__name__": "ptc_runner.finder"}
exec(_load("ptc_runner.finder"), finder)
finder["start"](started, arguments, names, _load)

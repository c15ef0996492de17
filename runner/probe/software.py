"""Prints which interpreters and libraries programs of this sandbox find, as one line of JSON.

It runs as a command of its own, before any program. What it prints is data: the host checks it.
"""

import json
import os
import subprocess
import sys
from importlib import metadata

MOST_LIBRARIES = 500
TIMEOUT_S = 10
LONGEST_NAME = 150
COMMANDS = {"node": ["node", "--version"], "bash": ["bash", "-c", 'printf %s "$BASH_VERSION"']}
# Where Node finds the packages of a program, which is in /tmp.
PACKAGES = "/node_modules"


def output_of(command):
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=TIMEOUT_S
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None


def python_libraries():
    found = {}
    for distribution in metadata.distributions():
        try:
            name, version = distribution.metadata["Name"], distribution.version
        except Exception:
            # Its metadata is damaged. It does not make the others unknown.
            continue
        # The first one is the one that `import` finds.
        if name and version and len(name) + len(version) < LONGEST_NAME:
            found.setdefault(name, version)
        if len(found) == MOST_LIBRARIES:
            break
    return sorted(found.items())


def node_packages():
    names = []
    for name in names_in(PACKAGES):
        inner = names_in(os.path.join(PACKAGES, name)) if name.startswith("@") else []
        names += ["%s/%s" % (name, each) for each in inner] if inner else [name]
    found = []
    for name in names[:MOST_LIBRARIES]:
        try:
            with open(os.path.join(PACKAGES, name, "package.json"), encoding="utf-8") as file:
                found.append([name, json.load(file)["version"]])
        except (OSError, ValueError, LookupError, TypeError):
            continue
    return found


def names_in(directory):
    try:
        return sorted(name for name in os.listdir(directory) if not name.startswith("."))
    except OSError:
        return []


# Changed by the installation of a library. The host compares when they were changed.
searched = [path for path in sys.path if os.path.isdir(path)]
print(
    json.dumps(
        {
            "python": {"version": "%d.%d.%d" % sys.version_info[:3], "libraries": python_libraries()},
            "node": {"version": output_of(COMMANDS["node"]), "libraries": node_packages()},
            "bash": {"version": output_of(COMMANDS["bash"])},
            "searched": searched,
        }
    )
)

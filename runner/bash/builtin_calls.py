"""Finds calls of bash's own commands with a flag of a tool. A tool with such a name has a longer name as a command, and
a program that calls it by its own name runs bash's command, which may succeed.
"""

from ..shared.parameters import parameters_of

_BUILTINS = frozenset(
    """
    alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval
    exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read
    readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset
    wait
    """.split()
)
# What ends a command, or begins one.
_SEPARATORS = str.maketrans(dict.fromkeys(";&|(){}`", "\n"))
_BEFORE_COMMANDS = frozenset("! do elif else if then time until while".split())


class BuiltinCalls:
    """Knows the tools with names of bash's commands."""

    def __init__(self):
        # The tools' commands, and their flags without dashes, by the names of bash's commands.
        self._commands = {}
        self._flags = {}

    def configure(self, tools):
        self._commands.clear()
        self._flags.clear()
        for tool in tools:
            command = tool["identifier"]
            name = command.rstrip("_")
            if name != command and name in _BUILTINS:
                self._commands[name] = command
                self._flags[name] = {
                    _plain(parameter[key]) for parameter in parameters_of(tool) for key in ("name", "identifier")
                }

    def warnings(self, code):
        """Returns a line for each tool that a program seems to call by a name of bash's. This reads only the text, so it
        also finds commands that are not executed, or that are in a quoted text.
        """
        if not self._commands or "--" not in code:
            return ""
        found = {}
        for number, line in _logical_lines(code):
            for command in line.translate(_SEPARATORS).split("\n") if "--" in line else ():
                name, flag = self._find(command)
                if flag is not None:
                    found.setdefault(name, (number, flag))
        return "".join(
            f"Warning: line {number}: {name} is a command of bash, and {flag} is an argument of the tool "
            f"{self._commands[name]}; to call the tool, write {self._commands[name]}\n"
            for name, (number, flag) in found.items()
        )

    def _find(self, command):
        """Returns the name and the first flag of a tool that is called; the flag is None if there is none."""
        words = iter(command.split())
        name = next((word for word in words if word not in _BEFORE_COMMANDS and "=" not in word), None)
        flags = self._flags.get(name, ())
        for word in words if flags else ():
            if word.startswith("#"):
                break
            flag = word.partition("=")[0]
            if flag.startswith("--") and flag != "--help" and _plain(flag[2:]) in flags:
                return name, flag
        return name, None


def _logical_lines(code):
    """Yields the lines with their numbers. A backslash at the end of a line continues it."""
    number = 0
    parts = []
    for count, line in enumerate(code.split("\n"), 1):
        number = number or count
        if line.endswith("\\"):
            parts.append(line[:-1])
            continue
        yield number, " ".join([*parts, line])
        number = 0
        parts = []


def _plain(flag):
    return flag.replace("-", "_")

"""Code that other tools accept and Python refuses: code that is indented as a whole, commands of IPython, and `return`
outside a function.
"""

import ast
import re
import sys

from .slips import nothing_installs

_INSTALLS = re.compile(r"[!%]+\s*(python3?\s+-m\s+)?(pip3?|conda|mamba|uv|apt|apt-get|npm)\b")
_COMMAND = re.compile(r"(?:[\w, ]+=\s*)?([!%].*)")
_MAX_SHOWN = 60
_RETURN = "'return' outside function"


def parse_again(code, error, parse):
    """Returns the syntax tree of a program that is only indented as a whole. Otherwise raises an error that says what
    to do.
    """
    if isinstance(error, IndentationError) and _starts_indented(code):
        try:
            tree = parse(f"if 1:\n{code}")
        except SyntaxError as inner:
            error = _one_line_up(inner)
        else:
            block = tree.body[0]
            if len(tree.body) == 1 and not block.orelse:
                tree.body = block.body
                return ast.increment_lineno(tree, -1)
    _explain(error, code)
    # Without the error of the first attempt.
    raise error from None


def explain_return(error):
    """Changes the message for a `return` outside a function so that it says what to do."""
    if error.msg == _RETURN:
        error.msg = (
            f"{_RETURN}; to hand back a value, end the program with that expression or call submit(value); "
            "to end the program early, call sys.exit()"
        )


def _starts_indented(code):
    lines = (line for line in code.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    return next(lines, "").startswith((" ", "\t"))


def _one_line_up(error):
    for name in ("lineno", "end_lineno"):
        line = getattr(error, name, None)
        if line:
            setattr(error, name, line - 1)
    error.msg = re.sub(r"(?<= on line )\d+", lambda number: str(int(number[0]) - 1), error.msg)
    return error


def _explain(error, code):
    """Changes the message for a command of IPython, which IPython removes from a program before Python sees it."""
    lines = code.splitlines()
    line = lines[error.lineno - 1].strip() if error.lineno and error.lineno <= len(lines) else ""
    match = _COMMAND.fullmatch(line)
    if match is None:
        return
    command = match[1]
    shown = command if len(command) <= _MAX_SHOWN else f"{command[:_MAX_SHOWN]}…"
    if _INSTALLS.match(command):
        error.msg = f"{shown!r}: {nothing_installs()}"
    elif command.startswith("%"):
        error.msg = f"{shown!r} is a command of IPython, and this is plain Python; leave it out"
    elif sys.platform == "emscripten":
        error.msg = f"{shown!r} is a command of IPython, and there is no shell here; use functions of Python"
    else:
        error.msg = f"{shown!r} is a command of IPython, and this is plain Python; use subprocess.run(…, shell=True)"

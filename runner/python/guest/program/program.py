"""Compiles and runs a program in the session's namespace, with top-level `await` and its last value."""

import __future__
import builtins
import sys
from types import ModuleType

import _ast as ast

from .failures import PROGRAM_FILE_PREFIX
from ..first_imports import on_first_import

_FUTURE_FLAGS = 0
for _feature in __future__.all_feature_names:
    _FUTURE_FLAGS |= getattr(__future__, _feature).compiler_flag


class Namespace:
    """What the programs of a session share: the variables, functions and imports of the module `__main__`."""

    def __init__(self, program_file):
        self._module = ModuleType("__main__")
        self._module.__builtins__ = builtins
        # Programs find files beside `__file__` in their working directory. The file itself does not exist.
        self._module.__file__ = program_file
        sys.modules["__main__"] = self._module
        self.variables = self._module.__dict__
        self._sources = _Sources()
        self._flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

    def compile(self, code, filename):
        """Compiles a program into its statements and, if it ends in an expression, that expression."""
        self._sources.keep(filename, code)
        # Python keeps there by text and line, not by file, which warnings it has shown.
        self.variables.pop("__warningregistry__", None)
        tree = self._parse(code, filename)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        parts = [self._compile_tree(tree, filename, "exec")] if tree.body else []
        if last is not None:
            parts.append(self._compile_tree(ast.Expression(last.value), filename, "eval"))
        return parts

    def _parse(self, code, filename):
        def parse(text):
            return compile(text, filename, "exec", self._flags | ast.PyCF_ONLY_AST, True)

        try:
            return parse(code)
        except SyntaxError as error:
            # Rarely needed.
            from .notebook import parse_again

            return parse_again(code, error, parse)

    def _compile_tree(self, tree, filename, mode):
        try:
            part = compile(tree, filename, mode, self._flags, True)
        except SyntaxError as error:
            # Rarely needed.
            from .notebook import explain_return

            explain_return(error)
            raise
        # `from __future__ import annotations` also holds for later programs, as at a prompt.
        self._flags |= part.co_flags & _FUTURE_FLAGS
        return part


class _Sources:
    """The lines of programs, which tracebacks and `inspect.getsource` find in `linecache`. That module loads slowly."""

    def __init__(self):
        self._linecache = None
        self._early = {}
        on_first_import("linecache", self._hand_over)
        on_first_import("inspect", self._show_classes)

    def keep(self, filename, code):
        cache = self._early if self._linecache is None else self._linecache.cache
        # Lines as a file would have them, each with its newline, because the position of an error is counted in such
        # lines.
        lines = code.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
        cache[filename] = (len(code), None, [f"{line}\n" for line in lines], filename)

    def _hand_over(self):
        self._linecache = sys.modules["linecache"]
        # From Python 3.13 on, this cache has the command that started the runner, which would be taken for the
        # program's source.
        getattr(self._linecache, "_interactive_cache", {}).clear()
        self._linecache.cache.update(self._early)
        self._early.clear()

    def _show_classes(self):
        """Makes `inspect` look for a class in the program that defined it, as it does for a function."""
        inspect = sys.modules["inspect"]
        plain_getfile = inspect.getfile

        # Programs find it as a function of that module.
        @inspect.functools.wraps(plain_getfile)
        def getfile(object):
            filename = self._find_class(object) if isinstance(object, type) else None
            return plain_getfile(object) if filename is None else filename

        inspect.getfile = getfile

    def _find_class(self, wanted):
        """Returns the file name of the last program with a statement of this class; None if no program has one."""
        # A metaclass may hide the attribute.
        if getattr(wanted, "__module__", None) != "__main__":
            return None
        statement = ["class", wanted.__name__]
        for filename, entry in reversed(list(self._linecache.cache.items())):
            if filename.startswith(PROGRAM_FILE_PREFIX):
                lines = (line.replace("(", " ").replace("[", " ").replace(":", " ") for line in entry[2])
                if any(line.split()[:2] == statement for line in lines):
                    return filename
        return None


# The constant of `inspect`, which loads slowly.
_CO_COROUTINE = 0x80


def waits(parts):
    """Whether a program has a top-level `await`."""
    return any(part.co_flags & _CO_COROUTINE for part in parts)


def run(parts, variables):
    """Runs a program without a top-level `await`, and returns its last value."""
    value = None
    for part in parts:
        value = eval(part, variables)
    return value


async def run_waiting(parts, variables):
    """Runs a program with a top-level `await`, and returns its last value."""
    value = None
    for part in parts:
        value = eval(part, variables)
        if part.co_flags & _CO_COROUTINE:
            value = await value
    return value

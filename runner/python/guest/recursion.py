"""The recursion limit of programs. The runner's own calls, from which programs are called, do not count towards it."""

import sys

from .shown_code import show_as

# At least as many as there are below a program, with and without an event loop, in any version of Python.
_OWN_DEPTH = 40
_GREATEST = 2**31 - 1


def leave_out_own_depth():
    """Raises the limit by the depth of the runner, and hides that from programs."""
    plain_get, plain_set = sys.getrecursionlimit, sys.setrecursionlimit

    def getrecursionlimit():
        """Returns the greatest depth of calls in Python."""
        return plain_get() - _OWN_DEPTH

    def setrecursionlimit(limit, /):
        """Sets the greatest depth of calls in Python."""
        # For others, Python has its own errors.
        is_valid = isinstance(limit, int) and 0 < limit <= _GREATEST
        plain_set(min(limit + _OWN_DEPTH, _GREATEST) if is_valid else limit)

    for function in (getrecursionlimit, setrecursionlimit):
        show_as(function, "<sys>", function.__name__)
        function.__module__ = "sys"
        setattr(sys, function.__name__, function)
    sys.setrecursionlimit(plain_get())

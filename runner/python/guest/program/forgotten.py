"""Reports forgotten `await`s: coroutines that were created and never awaited, with their lines."""

import itertools
import sys
import warnings
from types import CoroutineType

from .failures import PROGRAM_FILE_PREFIX

_MAX_REPORTED = 20
# How many callers Python records for each coroutine. One is enough here. Programs that want to see callers themselves
# choose other numbers, such as 1, 2, or the 10 of asyncio's debug mode.
_DEPTH = 3
# The function that `warnings.catch_warnings(record=True)` replaces.
_PLAIN_SHOW = warnings._showwarnmsg_impl


class ForgottenAwaits:
    """Collects coroutines that the program dropped, and finds those that its variables still contain."""

    def __init__(self):
        self._dropped = []
        self._reported = set()
        # Makes Python record the line in which each coroutine was created.
        sys.set_coroutine_origin_tracking_depth(_DEPTH)
        warnings._warn_unawaited_coroutine = self._on_dropped

    def _on_dropped(self, coroutine):
        """Warns as Python does, for programs that filter or record warnings. For all others, `report` says more."""
        show = warnings._showwarnmsg_impl
        is_recorded = show is not _PLAIN_SHOW
        if not is_recorded:
            warnings._showwarnmsg_impl = _show_nothing
        try:
            warnings.warn(_python_message(coroutine), RuntimeWarning, stacklevel=2, source=coroutine)
        finally:
            warnings._showwarnmsg_impl = show
        if not is_recorded and len(self._dropped) < _MAX_REPORTED:
            self._dropped.append(coroutine)

    def report(self, variables):
        """Returns a line for each coroutine that was never awaited, and so never ran. Each is reported once."""
        held = list(itertools.islice(_held(variables), _MAX_REPORTED))
        lines = []
        for coroutine in [*self._dropped, *held]:
            if id(coroutine) not in self._reported:
                lines.append(_describe(coroutine))
        self._dropped.clear()
        self._reported = {id(coroutine) for coroutine in held}
        return [line for line in lines if line is not None]


def _show_nothing(message):
    pass


def _python_message(coroutine):
    """What Python itself says: it names the callers only if the program wants to see them."""
    message = f"coroutine '{coroutine.__qualname__}' was never awaited"
    origin = coroutine.cr_origin
    if not origin or sys.get_coroutine_origin_tracking_depth() == _DEPTH:
        return message
    # Rarely needed, and slow to load.
    import traceback

    callers = traceback.format_list([(*caller, None) for caller in reversed(origin)])
    return f"{message}\nCoroutine created at (most recent call last)\n{''.join(callers)}".rstrip("\n")


def _held(variables):
    """Yields coroutines that never started, from the program's variables and from collections in them."""
    for value in list(variables.values()):
        kind = type(value)
        if kind is CoroutineType:
            values = (value,)
        elif kind in (list, tuple) and value and type(value[0]) is CoroutineType:
            values = value
        elif kind is dict and value and type(next(iter(value.values()))) is CoroutineType:
            values = value.values()
        else:
            # Not searched further: this runs after every program, and data may be large.
            continue
        yield from filter(_never_started, values)


def _never_started(value):
    # Rarely needed, and slow to load.
    import inspect

    return isinstance(value, CoroutineType) and inspect.getcoroutinestate(value) == inspect.CORO_CREATED


def _describe(coroutine):
    origin = coroutine.cr_origin
    if not origin or not origin[0][0].startswith(PROGRAM_FILE_PREFIX):
        return None
    name = coroutine.__qualname__
    return f"line {origin[0][1]}: {name}(…) was called without await, so it did not run; write: await {name}(…)"

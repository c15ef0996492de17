"""Reports forgotten `await`s: coroutines that were created and never awaited, with their lines."""

import gc
import itertools
import sys
import warnings
from types import CellType, CoroutineType

from .failures import PROGRAM_FILE_PREFIX

_MAX_REPORTED = 20
# How many errors are looked into that come from one another.
_MOST_CAUSES = 10
# How many callers Python records for each coroutine. One is enough here. Programs that want to see callers themselves
# choose other numbers, such as 1, 2, or the 10 of asyncio's debug mode.
_DEPTH = 3
# The flag of code whose variables are not in a dictionary: that of functions.
_IS_FUNCTION = 1
# The function that `warnings.catch_warnings(record=True)` replaces.
_PLAIN_SHOW = warnings._showwarnmsg_impl


class ForgottenAwaits:
    """Collects coroutines that the program dropped, and finds those that its variables still contain."""

    def __init__(self):
        self._dropped = []
        self._in_error = []
        self._reported = set()
        # The ids of those that were reported before Python drops them.
        self._dropped_later = set()
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
        is_known = id(coroutine) in self._dropped_later
        self._dropped_later.discard(id(coroutine))
        if not is_recorded and not is_known and len(self._dropped) < _MAX_REPORTED:
            self._dropped.append(coroutine)

    def look_into(self, error):
        """Notes those that only the functions refer to which raised the error of a program. Python may drop them long after the
        program, because a task and its error refer to each other.
        """
        try:
            self._in_error = list(itertools.islice(_held_by_frames(error), _MAX_REPORTED))
        except BaseException:
            # A program can have its own kind of local variables, and may have used up the memory.
            self._in_error = []

    def report(self, variables, filename):
        """Returns a line for each coroutine that was never awaited, and so never ran. Each is reported once. `filename` is that
        of the program that ends.
        """
        held = {id(coroutine): coroutine for coroutine in itertools.islice(_held(list(variables.values()), set()), _MAX_REPORTED)}
        in_error = {id(coroutine): coroutine for coroutine in self._in_error if id(coroutine) not in held}
        dropped = {id(coroutine): coroutine for coroutine in self._dropped}
        found = {**dropped, **in_error, **held}
        lines = [_describe(coroutine, filename) for key, coroutine in found.items() if key not in self._reported]
        self._reported = set(held)
        self._dropped_later.update(in_error)
        self._dropped.clear()
        self._in_error = []
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


def _held(held, searched):
    """Yields coroutines that never started, from the values of variables and from collections in them, except for those whose
    ids are in `searched`, to which it adds.
    """
    for value in held:
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
        if id(value) in searched:
            continue
        searched.add(id(value))
        yield from filter(_never_started, values)


def _held_by_frames(error):
    """Yields those in the local variables of functions that raised an error, or errors that led to it."""
    searched = set()
    for _ in range(_MOST_CAUSES):
        if error is None:
            break
        position = error.__traceback__
        while position is not None:
            yield from _held(_values_in(position.tb_frame), searched)
            position = position.tb_next
        error = error.__context__


def _values_in(frame):
    """Returns the values of its variables.

    Not by the `f_locals` of a function: up to Python 3.12, what reads them leaves a copy of the variables in the frame. The copy
    would keep what the program held, such as files with unwritten data, after the function has gone on or its frame was cleared.
    It is also what `locals()` gave the program, and would change.
    """
    if not frame.f_code.co_flags & _IS_FUNCTION:
        return list(frame.f_locals.values())
    # Also other things that the frame refers to, which do no harm here.
    values = gc.get_referents(frame)
    cells = [value for value in values if type(value) is CellType]
    return values + gc.get_referents(*cells)


def _never_started(value):
    # Rarely needed, and slow to load.
    import inspect

    return isinstance(value, CoroutineType) and inspect.getcoroutinestate(value) == inspect.CORO_CREATED


def _describe(coroutine, filename):
    origin = coroutine.cr_origin
    if not origin or not origin[0][0].startswith(PROGRAM_FILE_PREFIX):
        return None
    file, line, _ = origin[0]
    # In a function of an earlier program, or dropped only now.
    place = f"line {line}" if file == filename else f"line {line} of {file}"
    name = coroutine.__qualname__
    return f"{place}: {name}(…) was called without await, so it did not run; write: await {name}(…)"

"""Which line of a program makes a call, for people who decide about the call."""

import sys


class CallLines:
    """Finds the lines of one program. A program could change what is found: it only explains the call."""

    def __init__(self, filename):
        self._filename = filename
        # Each coroutine knows where it was created: one that became a task was not called from there.
        sys.set_coroutine_origin_tracking_depth(1)

    def end(self):
        sys.set_coroutine_origin_tracking_depth(0)

    def find(self, depth):
        """Returns the line, or None. The frame of the tool's function is `depth` frames above the caller's."""
        frame = sys._getframe(depth + 1)
        coroutine = _coroutine_of_task()
        if coroutine is not None and getattr(coroutine, "cr_frame", None) is frame:
            origin = coroutine.cr_origin
            return origin[0][1] if origin and origin[0][0] == self._filename else None
        while frame is not None and frame.f_code.co_filename != self._filename:
            frame = frame.f_back
        return None if frame is None else frame.f_lineno


def _coroutine_of_task():
    """Returns the coroutine of the task that runs; None if none runs."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return None
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return None
    return None if task is None else task.get_coro()

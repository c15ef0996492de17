"""Threads that a program did not wait for. Python waits for them at its end; here they stand still until the next program."""

import sys
import time
import weakref

# How long threads that are at their end have to come to it.
_PATIENCE = 0.1
_POOL_FILE = "/concurrent/futures/thread.py"
# A long-lived thread is told once.
_told = weakref.WeakSet()


def count_left():
    """How many there are that no program was told of."""
    until = time.monotonic() + _PATIENCE
    while True:
        left = _find_left()
        if not left or time.monotonic() > until:
            _told.update(left)
            return len(left)
        time.sleep(0.001)


def _find_left():
    threading = sys.modules["threading"]
    frames = sys._current_frames()
    return [
        thread
        for thread in list(threading._active.values())
        if not thread.daemon
        and thread.ident in frames
        and thread is not threading.current_thread()
        and thread not in _told
        and not _serves_pool(thread, frames[thread.ident])
    ]


def _serves_pool(thread, frame):
    """Whether it belongs to a pool of processes, or to one of threads that has nothing to do, as far as can be seen."""
    if type(thread).__module__ == "concurrent.futures.process":
        return True
    while frame is not None:
        code = frame.f_code
        if code.co_name == "_worker" and code.co_filename.endswith(_POOL_FILE):
            work = frame.f_locals.get("work_item")
            # Whoever waits for the work goes on before the thread is done with it.
            return frame.f_locals["work_queue"].empty() and (work is None or work.future.done())
        frame = frame.f_back
    return False

"""Threads that a program did not wait for. Python waits for them at its end; here they are stopped until the next
program.
"""

import sys
import time
import weakref

# How many seconds threads that are about to end have for it.
_TIMEOUT = 0.1
_POOL_FILE = "/concurrent/futures/thread.py"
# Threads that were reported. A long-lived thread is reported once.
_reported = weakref.WeakSet()


def count_left():
    """Returns the number of threads that were not reported yet."""
    until = time.monotonic() + _TIMEOUT
    while True:
        left = _find_left()
        if not left or time.monotonic() > until:
            _reported.update(left)
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
        and thread not in _reported
        and not _serves_pool(thread, frames[thread.ident])
    ]


def _serves_pool(thread, frame):
    """Whether it belongs to a pool of processes, or to an idle pool of threads."""
    if type(thread).__module__ == "concurrent.futures.process":
        return True
    while frame is not None:
        code = frame.f_code
        if code.co_name == "_worker" and code.co_filename.endswith(_POOL_FILE):
            work = frame.f_locals.get("work_item")
            # The caller that waits for the result continues before the thread has finished its work item.
            return frame.f_locals["work_queue"].empty() and (work is None or work.future.done())
        frame = frame.f_back
    return False

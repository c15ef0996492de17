"""The processes of a program: who they are, and their end."""

import os
import time

import _signal as signal

_PR_SET_CHILD_SUBREAPER = 36

# A program's last words may still be on their way through a process of its own, such as `tee`.
GRACE = 0.1
# Not where it was interrupted.
NO_GRACE = 0
# Then they are killed, which takes no time at all.
_DEATH = 0.5
_LOOK_EVERY = 0.002


def adopt_orphans():
    """Has processes that lose their parents become children of this one, so that none is lost sight of."""
    import _ctypes

    prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")
    _ctypes.call_function(prctl, (_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))


def descendants():
    """All processes that come from this one, parents before their children."""
    found = [os.getpid()]
    for pid in found:
        found += _children(pid)
    return found[1:]


def end_leftovers(shell, reap, grace):
    """Ends what the program left behind, beside `shell`, and gives how many were killed. `reap` collects children."""
    killed = set()
    grace_end = time.monotonic() + grace
    while True:
        left = [pid for pid in descendants() if pid != shell and _is_alive(pid)]
        now = time.monotonic()
        if not left or now > grace_end + _DEATH:
            return len(killed)
        if now > grace_end:
            for pid in left:
                killed.add(pid)
                _kill(pid)
        time.sleep(_LOOK_EVERY)
        reap()


def _kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _children(pid):
    children = []
    try:
        # Each thread has its own.
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                children += map(int, file.read().split())
    except OSError:
        pass
    return children


def _is_alive(pid):
    """Whether it is there and not merely waiting to be collected."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b") ")[2][:1] not in b"ZX"
    except OSError:
        return False

"""The processes of a sandbox: who they are, and signals to them. Also for the guest that serves bash."""

import os
import time

import _signal as signal

_PR_SET_CHILD_SUBREAPER = 36
# How often it is looked whether a process has stopped, which it mostly has as soon as it had the processor: so at first
# it gets that instead.
_QUICK_LOOKS = 5
_LOOK_EVERY = 0.0002
# The links of the directory of a process's threads, where it has one thread.
_LINKS_OF_ONE_THREAD = 3
# The places of these among the fields after a process's name in `/proc/PID/stat`.
_USER_TICKS = 11
_KERNEL_TICKS = 12
_THREADS = 17


def prctl(option, value):
    """The kernel's call of this name, which Python does not have."""
    # The core of `ctypes` alone: the package around it is a tenth of the memory of a supervisor.
    import _ctypes

    function = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")
    if _ctypes.call_function(function, (option, value, 0, 0, 0)) != 0:
        raise OSError(f"prctl({option}, {value}) failed")


def adopt_orphans():
    """Has processes that lose their parents become children of this one, so that none is lost sight of."""
    prctl(_PR_SET_CHILD_SUBREAPER, 1)


def descendants():
    """All processes that come from this one, parents before their children."""
    found = [os.getpid()]
    for pid in found:
        found += children(pid)
    return found[1:]


def living_beside(kept):
    """The processes of this sandbox that have not ended, but for this one and `kept`."""
    if os.getpid() == 1:
        # It sees all of them, and none of others.
        found = [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]
    else:
        found = descendants()
    return [pid for pid in found if pid not in kept and not _has_ended(pid)]


def send(pid, number):
    """Sends a signal to a process that may have ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def send_all(number):
    """Sends a signal to all processes of this sandbox but this one: to all at one moment, if this is process 1."""
    for pid in (-1,) if os.getpid() == 1 else descendants():
        send(pid, number)


def kill_beside(kept):
    """Kills the processes of this sandbox but for this one and `kept`, and gives which."""
    # First all are stopped at one moment, so that none starts another while it is looked for.
    send_all(signal.SIGSTOP)
    killed = set(living_beside(kept))
    for pid in killed:
        send(pid, signal.SIGKILL)
    return killed


def freeze(pid):
    """
    Stops a process that is not a child of this one. Waits until it is, or has ended, and gives the processor time that
    it has used, in ticks.
    """
    send(pid, signal.SIGSTOP)
    looks = 0
    while True:
        state, _, ticks = _facts(pid)
        if state in "TZX":
            return ticks
        looks += 1
        if looks < _QUICK_LOOKS:
            os.sched_yield()
        else:
            time.sleep(_LOOK_EVERY)


def has_gone_on(pid, ticks):
    """Whether a process has gone on since `freeze` gave `ticks`. The kernel may round one up that it had begun."""
    state, threads, ticks_now = _facts(pid)
    # Of a process whose first thread has ended, nothing tells whether the others stand still: none of ours is like that.
    return state not in "TZX" or state == "Z" and threads > 1 or ticks_now > ticks + 1


class ChildrenList:
    """The children of a process, in short reads. Where those do not tell, somebody has to look at all processes."""

    def __init__(self, pid):
        self._first = str(pid)
        try:
            self._threads = os.open(f"/proc/{pid}/task", os.O_RDONLY)
            self._children = os.open(f"/proc/{pid}/task/{pid}/children", os.O_RDONLY)
        except OSError:
            # This kernel has no such lists.
            self._children = None

    def read(self):
        """Those of its first thread: ids, each with a space behind it, as the kernel lists them; None if it does not."""
        return None if self._children is None else os.pread(self._children, 4096, 0)

    def are_none(self):
        """Whether a process that is stopped has none for sure."""
        if self._children is None:
            return False
        if os.fstat(self._threads).st_nlink == _LINKS_OF_ONE_THREAD:
            return self.read() == b""
        others = [thread for thread in os.listdir(self._threads) if thread != self._first]
        # Each thread has a list of its own. One that was ending when the others were stopped goes on to its end, and then
        # its children are in the list of another, which may have been read before: so all are read twice.
        return all(self.read() == b"" and all(map(self._has_none, others)) for _ in range(2))

    def _has_none(self, thread):
        try:
            fd = os.open(f"{thread}/children", os.O_RDONLY, dir_fd=self._threads)
        except FileNotFoundError:
            # It has ended meanwhile.
            return False
        try:
            return os.read(fd, 1) == b""
        finally:
            os.close(fd)


def _has_ended(pid):
    """A process whose first thread has ended looks as if it had ended, and its other threads go on."""
    state, threads, _ = _facts(pid)
    return state == "X" or state == "Z" and threads <= 1


def _facts(pid):
    """Its state, one letter as `ps` shows it, X if there is no such process; its threads; its processor time in ticks."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b") ")[2].split()
        return fields[0].decode(), int(fields[_THREADS]), int(fields[_USER_TICKS]) + int(fields[_KERNEL_TICKS])
    except OSError:
        return "X", 0, 0


def children(pid):
    """The processes that a process started and has not collected."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    except OSError:
        pass
    return found

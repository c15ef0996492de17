"""The processes of a sandbox, and signals to them. The guest for bash uses this module too."""

import os
import time

import _signal as signal

_PR_SET_CHILD_SUBREAPER = 36
# How often to check whether a process has stopped. It mostly stops as soon as it gets the processor, so the first
# checks only yield the processor.
_QUICK_CHECKS = 5
_CHECK_EVERY = 0.0002
# The link count of a process's `task` directory, less one for each thread.
_LINKS_WITHOUT_THREADS = 2
# The lists of so many threads of a process stay open. Node has fewer than ten threads.
_MOST_THREADS = 16
# Indices of fields after the name of a process in `/proc/PID/stat`.
_USER_TICKS = 11
_KERNEL_TICKS = 12
_THREADS = 17


def prctl(option, value):
    """The system call `prctl`, which Python does not have."""
    # Only the core of `ctypes`: the package around it would take a tenth of the supervisor's memory.
    import _ctypes

    function = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")
    if _ctypes.call_function(function, (option, value, 0, 0, 0)) != 0:
        raise OSError(f"prctl({option}, {value}) failed")


def adopt_orphans():
    """Makes orphaned processes children of this one, so that all processes can be found."""
    prctl(_PR_SET_CHILD_SUBREAPER, 1)


def descendants():
    """Returns all descendants of this process, parents before their children."""
    found = [os.getpid()]
    for pid in found:
        found += children(pid)
    return found[1:]


def living_except(kept):
    """Returns the processes of this sandbox that have not ended, except this one and `kept`."""
    if os.getpid() == 1:
        # Process 1 sees all processes of the sandbox, and no others.
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
    """Sends a signal to all processes of this sandbox except this one; as process 1, to all at the same moment."""
    for pid in (-1,) if os.getpid() == 1 else descendants():
        send(pid, number)


def kill_except(kept):
    """Kills the processes of this sandbox except this one and `kept`, and returns their ids."""
    # Stops all of them at the same moment first, so that none starts another one meanwhile.
    send_all(signal.SIGSTOP)
    killed = set(living_except(kept))
    for pid in killed:
        send(pid, signal.SIGKILL)
    return killed


def freeze(pid):
    """Stops a process that is not a child of this one. Waits until it has stopped or ended, and returns the processor
    time that it has used, in ticks.
    """
    send(pid, signal.SIGSTOP)
    checks = 0
    while True:
        state, _, ticks = _facts(pid)
        if state in "TZX":
            return ticks
        checks += 1
        if checks < _QUICK_CHECKS:
            os.sched_yield()
        else:
            time.sleep(_CHECK_EVERY)


def has_continued(pid, ticks):
    """Whether a process has continued since `freeze` returned `ticks`. The kernel may round one tick up."""
    state, threads, ticks_now = _facts(pid)
    # If the first thread has ended, nothing tells whether the others have stopped. No process of the runner is like
    # that.
    return state not in "TZX" or state == "Z" and threads > 1 or ticks_now > ticks + 1


def processor_seconds(pid):
    """Returns how long the threads of a process have run, and how long they have been ready to run without a
    processor, in their whole lives. Zeros if the kernel does not tell. A wait is counted when it has ended.
    """
    run = waited = 0
    try:
        # Node has a thread that passes interrupts on to the first one.
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/schedstat", "rb") as file:
                times = file.read().split()
            run += int(times[0])
            waited += int(times[1])
    except (OSError, IndexError):
        pass
    return run / 1e9, waited / 1e9


def is_ready_to_run(pid):
    """Whether the first thread of a process runs or waits for a processor."""
    return _facts(pid)[0] == "R"


class ChildrenList:
    """Reads the children of a process with a few short reads. If these do not tell, the caller must check all
    processes.
    """

    def __init__(self, pid):
        self._first = str(pid)
        # The lists of the other threads, and their names, which can be read as long as they live. These files stay
        # open from program to program, because finding and opening them takes most of the time.
        self._lists = []
        self._names = []
        try:
            self._threads = os.open(f"/proc/{pid}/task", os.O_RDONLY)
            self._children = os.open(f"/proc/{pid}/task/{pid}/children", os.O_RDONLY)
        except OSError:
            # This kernel does not have such lists.
            self._children = None

    def read(self):
        """Returns the children of its first thread: ids, each followed by a space. None if the kernel does not list
        them.
        """
        return None if self._children is None else os.pread(self._children, 4096, 0)

    def are_none(self):
        """Whether a stopped process certainly has no children."""
        if self._children is None:
            return False
        threads = os.fstat(self._threads).st_nlink - _LINKS_WITHOUT_THREADS
        if threads != 1 + len(self._names) and not self._open(threads):
            return False
        # Each thread has its own list. A thread that was ending when the others were stopped continues to its end.
        # Its children then move to the list of another thread, which may have been read before. So all lists are read
        # twice.
        if not all(self.read() == b"" and all(map(_is_empty, self._lists)) for _ in range(2)):
            return False
        # The list of a thread that has ended is empty. If all live whose lists are open, they are those that were
        # counted.
        if all(map(_lives, self._names)):
            return True
        self._close()
        return False

    def _open(self, threads):
        """Opens the lists of all threads. Returns False if there are too many, or if one has ended meanwhile."""
        self._close()
        if threads > _MOST_THREADS:
            return False
        try:
            for thread in os.listdir(self._threads):
                if thread != self._first:
                    for name, files in (("children", self._lists), ("comm", self._names)):
                        files.append(os.open(f"{thread}/{name}", os.O_RDONLY, dir_fd=self._threads))
        except FileNotFoundError:
            self._close()
        return threads == 1 + len(self._names)

    def _close(self):
        for fd in self._lists + self._names:
            os.close(fd)
        self._lists.clear()
        self._names.clear()


def _is_empty(fd):
    return os.pread(fd, 1, 0) == b""


def _lives(fd):
    """Whether the thread with this name has not ended."""
    try:
        os.pread(fd, 1, 0)
        return True
    except ProcessLookupError:
        return False


def _has_ended(pid):
    """A process whose first thread has ended looks as if it had ended, but its other threads continue."""
    state, threads, _ = _facts(pid)
    return state == "X" or state == "Z" and threads <= 1


def _facts(pid):
    """Returns its state, a letter as in `ps`, or X if it does not exist; its threads; its processor time in ticks."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b") ")[2].split()
        return fields[0].decode(), int(fields[_THREADS]), int(fields[_USER_TICKS]) + int(fields[_KERNEL_TICKS])
    except OSError:
        return "X", 0, 0


def children(pid):
    """Returns the processes that a process started and has not reaped."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    except OSError:
        pass
    return found

"""What the supervisor needs from the operating system beside the processes of guests."""

import os
import select

# The core of the module `signal`, without the enumerations for which `signal` loads `enum`.
import _signal as signal

from ..shared import processes

PR_SET_DUMPABLE = 4

# Files in which the kernel counts the processes that it killed because memory ran out, by version of control groups.
_MEMORY_COUNTERS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")
_KILLS = b"oom_kill "


def has_program(name):
    """Whether a command with this name would be found."""
    return any(os.access(os.path.join(path, name), os.X_OK) for path in os.get_exec_path())


def protect():
    """Prevents other processes of this user from reading this one's memory and descriptors and from ending it."""
    processes.prctl(PR_SET_DUMPABLE, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if os.getpid() != 1:
        processes.adopt_orphans()


def count_memory_kills():
    """Returns how many processes of this sandbox the kernel killed because memory ran out."""
    for path in _MEMORY_COUNTERS:
        try:
            fd = os.open(path, os.O_RDONLY)
        except OSError:
            continue
        try:
            lines = os.read(fd, 4096).splitlines()
        finally:
            os.close(fd)
        for line in lines:
            if line.startswith(_KILLS):
                return int(line[len(_KILLS) :])
    return 0


def describe_end(status, was_killed, earlier_memory_kills):
    """Returns why a process ended, from its wait status, with its exit status or signal."""
    if os.WIFEXITED(status):
        return {"reason": "exit", "status": os.WEXITSTATUS(status)}
    number = os.WTERMSIG(status)
    if was_killed:
        return {"reason": "killed", "status": number}
    if number == signal.SIGKILL and count_memory_kills() > earlier_memory_kills:
        return {"reason": "memory", "status": number}
    return {"reason": "signal", "status": number}


def describe_error(failure):
    """The error of an answer, from an `OSError`."""
    import errno

    return {"errno": errno.errorcode.get(failure.errno, "EIO"), "message": os.strerror(failure.errno or errno.EIO)}


def wait(poll, timeout):
    """Returns the events of `poll`. Those of ends that were only closed come first: the handlers of the others may open
    descriptors that have the numbers of these.
    """
    return sorted(poll.poll(timeout), key=lambda event: event[1] & (select.POLLIN | select.POLLOUT) != 0)


def unregister(poll, fd):
    """Stops waiting for a descriptor that may have been closed meanwhile."""
    try:
        poll.unregister(fd)
    except KeyError:
        pass


def read_some(fd, size):
    """Reads what `fd` has now. Returns b"" if that is nothing, or if its writers are gone."""
    try:
        return os.read(fd, size)
    except BlockingIOError:
        return b""


def write_all(fd, data):
    """Writes all of `data`, and waits as long as necessary."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_some(fd, data):
    """Writes as much as `fd` accepts now, and returns the count. If the reader is gone, that is everything."""
    try:
        return os.write(fd, data)
    except BlockingIOError:
        return 0
    except BrokenPipeError:
        return len(data)

"""What the supervisor asks of the operating system: the guest process, its streams, its end."""

import os
import sys

# `signal` without the names that its package adds, for which it loads `enum`.
import _signal as signal

from . import processes

_PR_SET_DUMPABLE = 4

# The kernel's count of processes that it ended for want of memory, by version of control groups.
_MEMORY_COUNTERS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


# What a guest of its own program puts into its token pipe as it enters a program's code, and takes out as it leaves.
_INSIDE = b"i"
# What it finds there instead where an interrupt was sent: it is to wait for that before it leaves.
_INTERRUPTED = b"s"
# The same where that had no effect, and another was sent.
_INTERRUPTED_AGAIN = b"t"
# What it finds there besides where it was outside: the next code that it runs is the last of that program.
_ASKED = b"a"


class GuestProcess:
    """A child that runs programs: its input empty, its output two pipes, two more for messages."""

    def __init__(self, command):
        """Starts `command`; where that is None, Python with the interpreter warm."""
        message_read, self.control_write = os.pipe()
        self.control_read, message_write = os.pipe()
        self.stdout, guest_stdout = os.pipe()
        self.stderr, guest_stderr = os.pipe()
        for fd in (self.control_write, self.control_read, self.stdout, self.stderr):
            os.set_blocking(fd, False)
        self.is_frozen = False
        self._token = None if command is None else os.pipe()
        for fd in self._token or ():
            os.set_blocking(fd, False)
        # An interrupt waits until the guest can take it.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        self.pid = os.fork()
        if self.pid == 0:
            _become_guest(command, (message_read, message_write, guest_stdout, guest_stderr), self._token or ())
        for fd in (message_read, message_write, guest_stdout, guest_stderr):
            os.close(fd)

    def interrupt(self):
        """
        Interrupts the program; a guest that is no Python only in a program's code, for elsewhere it would not survive.
        False where it is not in any.
        """
        if self._token is None:
            os.kill(self.pid, signal.SIGINT)
            return True
        found = self._take_token()
        is_again = found in (_INTERRUPTED, _INTERRUPTED_AGAIN)
        is_inside = is_again or _INSIDE in found
        if is_inside:
            os.kill(self.pid, signal.SIGINT)
            self._put_token(_INTERRUPTED_AGAIN if is_again else _INTERRUPTED)
        else:
            self._put_token(found or _ASKED)
        return is_inside

    def forget_interrupt(self):
        """What was asked was meant for a program that has ended."""
        if self._token is not None:
            self._put_token(self._take_token().replace(_ASKED, b""))

    def _take_token(self):
        try:
            return os.read(self._token[0], 2)
        except BlockingIOError:
            return b""

    def _put_token(self, found):
        if found:
            write_some(self._token[1], found)

    def freeze(self):
        """Stops all of its threads until `thaw`. Waits until they are; False if it has ended instead."""
        try:
            # A process of the program's may have had it go on.
            if not self.is_frozen or self._goes_on():
                os.kill(self.pid, signal.SIGSTOP)
                # Takes the kernel's note of the stop, so that there is one again only after a change.
                os.waitid(os.P_PID, self.pid, os.WSTOPPED)
            self.is_frozen = True
        except ChildProcessError:
            # Its end is left for `reap`.
            self.is_frozen = False
        return self.is_frozen

    def has_gone_on(self):
        """Whether it has gone on since `freeze`, also if it has stopped again. One that has ended is left for `reap`."""
        try:
            return self.is_frozen and self._take_change() is not None
        except ChildProcessError:
            return False

    def _goes_on(self):
        change = self._take_change()
        return change is not None and change.si_code == os.CLD_CONTINUED

    def _take_change(self):
        """The kernel's note that it went on or stopped; None if there is none. Raises `ChildProcessError` after its end."""
        return os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WCONTINUED | os.WNOHANG)

    def thaw(self):
        """Lets it go on."""
        if self.is_frozen:
            self.is_frozen = False
            os.kill(self.pid, signal.SIGCONT)


def reap(pids):
    """Collects ended children, also those that lost their parents; gives the wait status of one of `pids`."""
    guest_status = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return guest_status
        if pid == 0:
            return guest_status
        if pid in pids:
            guest_status = status


def _become_guest(command, pipes, token):
    """Lets go of all that is the supervisor's and runs programs. Never returns."""
    message_read, message_write, guest_stdout, guest_stderr = pipes
    status = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        _be_first_to_go()
        # Standard descriptors first, then the message pipes and spares of the output at 3 to 6, and the token at 7 and 8.
        empty = os.open(os.devnull, os.O_RDONLY)
        kept = (empty, guest_stdout, guest_stderr, message_read, message_write, guest_stdout, guest_stderr, *token)
        high = [_duplicate_above(fd, 64) for fd in kept]
        for target, fd in enumerate(high):
            os.dup2(fd, target, inheritable=target < 3 or command is not None)
        os.closerange(len(kept), 256)
        if command is not None:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            os.execvp(command[0], command)
        if "_ctypes" in sys.modules:
            # The supervisor was protected before: a guest that starts late is to be an ordinary process all the same.
            processes.prctl(_PR_SET_DUMPABLE, 1)
        from . import guest_process

        guest_process.main(message_read=3, message_write=4, spare_stdout=5, spare_stderr=6)
        status = 0
    finally:
        os._exit(status)


def _duplicate_above(fd, lowest):
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, lowest)


def _be_first_to_go():
    """Has the kernel end the guest, and not the supervisor, when memory is short."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass


def has_program(name):
    """Whether a command of this name would be found."""
    return any(os.access(os.path.join(path, name), os.X_OK) for path in os.get_exec_path())


def protect():
    """Keeps other processes of this user out of this one's memory and descriptors, and lets none ask it to end."""
    processes.prctl(_PR_SET_DUMPABLE, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if os.getpid() != 1:
        processes.adopt_orphans()


def count_memory_kills():
    """How many processes of this sandbox the kernel ended for want of memory."""
    for path in _MEMORY_COUNTERS:
        try:
            with open(path) as file:
                for line in file:
                    name, _, count = line.partition(" ")
                    if name == "oom_kill":
                        return int(count)
        except OSError:
            pass
    return 0


def describe_end(status, was_killed, earlier_memory_kills):
    """Why a process ended, by its wait status, and with which exit status or signal."""
    if os.WIFEXITED(status):
        return {"reason": "exit", "status": os.WEXITSTATUS(status)}
    number = os.WTERMSIG(status)
    if was_killed:
        return {"reason": "killed", "status": number}
    if number == signal.SIGKILL and count_memory_kills() > earlier_memory_kills:
        return {"reason": "memory", "status": number}
    return {"reason": "signal", "status": number}


def read_some(fd, size):
    """What `fd` has at once; nothing where that is nothing, or where nobody writes any more."""
    try:
        return os.read(fd, size)
    except BlockingIOError:
        return b""


def write_all(fd, data):
    """Writes all of `data`, waiting as long as it takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_some(fd, data):
    """Writes as much as `fd` takes without waiting and gives the count. Nobody reads any more: all is taken."""
    try:
        return os.write(fd, data)
    except BlockingIOError:
        return 0
    except BrokenPipeError:
        return len(data)

"""The process of a guest: how it is started, frozen, interrupted and reaped."""

import os
import sys

# The core of the module `signal`, without the enumerations for which `signal` loads `enum`.
import _signal as signal

from ...shared import processes
from .. import system

# The token that a guest of its own program puts into its token pipe when it enters a program's code, and takes when
# it leaves.
_INSIDE = b"i"
# The guest finds this instead if an interrupt was sent. It must wait for the interrupt before it leaves.
_INTERRUPTED = b"s"
# The same, if the first interrupt had no effect and another one was sent.
_INTERRUPTED_AGAIN = b"t"
# Added while the guest is outside of a program's code: the next code that it runs is the last of that program.
_ASKED = b"a"


class GuestProcess:
    """A child process that runs programs. Its input is empty; it has two pipes for output and two for messages."""

    def __init__(self, command):
        """Starts `command`; if it is None, forks Python, which is already loaded."""
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
        # Blocks an interrupt until the guest can handle it.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        self.pid = os.fork()
        if self.pid == 0:
            _become_guest(command, (message_read, message_write, guest_stdout, guest_stderr), self._token or ())
        for fd in (message_read, message_write, guest_stdout, guest_stderr):
            os.close(fd)

    def interrupt(self):
        """Interrupts the program. A guest that is not Python is interrupted only in a program's code, because
        elsewhere it would end. Returns False if it is not in such code.
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
        """Drops a request that was meant for a program that has ended."""
        if self._token is not None:
            self._put_token(self._take_token().replace(_ASKED, b""))

    def _take_token(self):
        try:
            return os.read(self._token[0], 2)
        except BlockingIOError:
            return b""

    def _put_token(self, found):
        if found:
            system.write_some(self._token[1], found)

    def freeze(self):
        """Stops all of its threads until `resume`, and waits until they are stopped. Returns False if it has ended
        instead.
        """
        try:
            # A process of the program may have made it continue.
            if not self.is_frozen or self._is_running_again():
                os.kill(self.pid, signal.SIGSTOP)
                # Reads the kernel's report of the stop, so that there is a new one only after a change.
                os.waitid(os.P_PID, self.pid, os.WSTOPPED)
            self.is_frozen = True
        except ChildProcessError:
            # Its end is left for `reap`.
            self.is_frozen = False
        return self.is_frozen

    def has_continued(self):
        """Whether it has continued since `freeze`, even if it has stopped again. If it has ended, that is left for
        `reap`.
        """
        try:
            return self.is_frozen and self._take_change() is not None
        except ChildProcessError:
            return False

    def _is_running_again(self):
        change = self._take_change()
        return change is not None and change.si_code == os.CLD_CONTINUED

    def _take_change(self):
        """Returns the kernel's report that it continued or stopped, or None. Raises `ChildProcessError` after its
        end.
        """
        # The kernel looks for a stop first and then for a continuation, without a lock. It finds neither if a process
        # that had continued stops in between. A second look then finds the stop.
        return self._look_for_change() or self._look_for_change()

    def _look_for_change(self):
        return os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WCONTINUED | os.WNOHANG)

    def resume(self):
        """Lets it continue."""
        if self.is_frozen:
            self.is_frozen = False
            os.kill(self.pid, signal.SIGCONT)


def reap(pids):
    """Reaps ended children, including adopted orphans. Returns the wait statuses of those of `pids`."""
    statuses = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return statuses
        if pid == 0:
            return statuses
        if pid in pids:
            statuses[pid] = status


def _become_guest(command, pipes, token):
    """Releases everything of the supervisor, and runs programs. Never returns."""
    message_read, message_write, guest_stdout, guest_stderr = pipes
    status = 1
    try:
        leave_supervisor()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        _prefer_as_memory_victim()
        # The standard descriptors come first, then message pipes and copies of the output at 3 to 6, and the token at
        # 7 and 8.
        kept = (open_empty(), guest_stdout, guest_stderr, message_read, message_write, guest_stdout, guest_stderr, *token)
        keep_descriptors(kept, range(len(kept) if command is not None else 3))
        if command is not None:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            os.execvp(command[0], command)
        if "_ctypes" in sys.modules:
            # The supervisor was protected before. A guest that is started later must nevertheless be an ordinary
            # process.
            processes.prctl(system.PR_SET_DUMPABLE, 1)
        from ...guest.main import main

        main(message_read=3, message_write=4, spare_stdout=5, spare_stderr=6)
        status = 0
    finally:
        os._exit(status)


def leave_supervisor():
    """In a child: gives up the session and the signal handlers of the supervisor."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGALRM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)


def open_empty():
    """Opens an input that has ended."""
    return os.open(os.devnull, os.O_RDONLY)


def keep_descriptors(kept, inherited):
    """In a child: numbers these descriptors from 0 on, and closes all others. Programs that it starts get those whose
    new numbers are in `inherited`.
    """
    high = [_duplicate_above(fd, 64) for fd in kept]
    for target, fd in enumerate(high):
        os.dup2(fd, target, inheritable=target in inherited)
    os.closerange(len(kept), 256)


def _duplicate_above(fd, lowest):
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, lowest)


def _prefer_as_memory_victim():
    """Makes the kernel end the guest, and not the supervisor, if memory runs out."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass

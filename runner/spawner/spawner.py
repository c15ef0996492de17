"""Starts the launchers of sandboxes for its host, and reports how they ended.

To start a process, the kernel copies the page tables of the parent process. For a host with much memory, that takes tens of
milliseconds, in which the host can do nothing else. This process stays small.

Its arguments are the command of a launcher. The host writes requests to standard input. A request is a list of fields, each
followed by NUL, and ends with an empty field (`src/providers/bubblewrap/start/spawner-process.ts`):

  start ID USER STREAM...  starts a launcher. USER is a number, or - for the user of this process. A STREAM is
                           `read N` or `write N`, a pipe that the launcher reads or writes on its descriptor N,
                           or `open N PATH`, a file that the launcher writes to.
  opened ID                the host has opened the pipes
  kill ID                  kills the launcher, or the sandbox that it became
  reap ID                  the host knows that it ended

Answers are lines on standard output. The host opens the pipes as /proc/PID OF THIS PROCESS/fd/DESCRIPTOR, which the kernel
allows only for the same user. There is no address to which another process could connect.

  started ID PID DESCRIPTOR...   the descriptors are the host's ends of the pipes, in the order of the request
  failed ID REASON
  ended ID status|signal NUMBER  its process id is not used again before the host asks to reap it

When standard input ends, because the host closed it or has ended, this process kills everything that it started, and ends.
"""

# The module `signal` also imports `enum`, which takes longer than the rest of the start.
import _signal
import fcntl
import os
import resource
import select
import sys

STDIN = 0
STDOUT = 1
# Python ignores these signals, and a program would inherit that.
IGNORED = (_signal.SIGPIPE, _signal.SIGXFSZ)


class StartFailed(Exception):
    """A launcher could not be started."""


class Launcher:
    """A process that was started and not reaped yet."""

    def __init__(self, process_id, pipe_ends):
        self.process_id = process_id
        # Both ends of each pipe. While this process has one open, the host can open the other
        # without waiting.
        self.pipe_ends = pipe_ends
        self.has_ended = False

    def kill(self):
        """Kills it with its process group. The child of `bwrap` ends with `bwrap` only once the sandbox is complete, and
        leaves the group just before. Until then, it waits for `bwrap`, also if that was killed.
        """
        os.killpg(self.process_id, _signal.SIGKILL)

    def close_pipes(self):
        close_all(self.pipe_ends)
        self.pipe_ends = []


class Spawner:
    """Answers the requests of one host."""

    def __init__(self, command):
        self.command = command
        self.launchers = {}
        self.requests = {b"start": self.start, b"opened": self.release_pipes, b"kill": self.kill, b"reap": self.reap}

    def serve(self):
        """Answers requests until standard input ends."""
        woken, wake = os.pipe()
        os.set_blocking(woken, False)
        os.set_blocking(wake, False)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        _signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        poll = select.poll()
        poll.register(STDIN, select.POLLIN)
        poll.register(woken, select.POLLIN)
        received = b""
        while True:
            ready = [descriptor for descriptor, _ in poll.poll()]
            if woken in ready:
                os.read(woken, 4096)
                self.tell_ends()
            if STDIN in ready:
                read = os.read(STDIN, 65536)
                if not read:
                    return
                *requests, received = (received + read).split(b"\0\0")
                for request in requests:
                    name, *fields = request.split(b"\0")
                    self.requests[name](*fields)

    def start(self, name, user, *streams):
        """Starts a launcher and keeps its pipes until the host has opened them."""
        pipe_ends, files, host_ends, places = [], [], [], []
        try:
            for stream in streams:
                kind, number, *path = stream.split(b" ", 2)
                if kind == b"open":
                    end = os.open(path[0], os.O_WRONLY)
                    files.append(end)
                else:
                    ends = os.pipe()
                    pipe_ends += ends
                    end, host_end = ends if kind == b"read" else reversed(ends)
                    host_ends.append(host_end)
                places.append((end, int(number)))
            user_id = None if user == b"-" else int(user)
            process_id = self.start_process(places, user_id)
        except (OSError, StartFailed) as error:
            close_all(pipe_ends)
            tell("failed", name.decode(), str(error).replace("\n", " "))
            return
        finally:
            close_all(files)
        self.launchers[name] = Launcher(process_id, pipe_ends)
        tell("started", name.decode(), process_id, *host_ends)

    def start_process(self, places, user_id):
        """Returns the id of the new process once it runs the command."""
        failure, fail = os.pipe()
        with open(failure, encoding="utf-8") as text:
            try:
                process_id = os.fork()
                if process_id == 0:
                    self.become_launcher(places, user_id, fail)
            finally:
                os.close(fail)
            # The text is empty if the command starts, because that closes the other end.
            reason = text.read()
        if reason:
            os.waitpid(process_id, 0)
            raise StartFailed(reason)
        return process_id

    def become_launcher(self, places, user_id, fail):
        """Turns this process, a copy of the spawner, into the launcher. Never returns."""
        try:
            # Moves all of them above the numbers that they get, so that none overwrites another.
            lowest = 1 + max(number for _, number in places)
            fail = fcntl.fcntl(fail, fcntl.F_DUPFD_CLOEXEC, lowest)
            copies = [(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, lowest), number) for end, number in places]
            for copy, number in copies:
                os.dup2(copy, number)
            # A session of its own, so that an interrupt in the terminal reaches only the host.
            os.setsid()
            os.chdir("/")
            if user_id is not None:
                # Root in the sandbox would be root for everything that its namespaces do not cover.
                os.setgroups([])
                os.setgid(user_id)
                os.setuid(user_id)
            for number in IGNORED:
                _signal.signal(number, _signal.SIG_DFL)
            self.execute()
        except OSError as error:
            os.write(fail, str(error).encode())
        finally:
            os._exit(127)

    def execute(self):
        """Replaces this program with the command, which is looked for in `PATH`."""
        path = os.environ["PATH"]
        for directory in path.split(":"):
            try:
                os.execve(os.path.join(directory, self.command[0]), self.command, {"PATH": path})
            except (FileNotFoundError, NotADirectoryError):
                pass
        raise FileNotFoundError(f"{self.command[0]} was not found in {path}")

    def release_pipes(self, name):
        self.launchers[name].close_pipes()

    def kill(self, name):
        launcher = self.launchers.get(name)
        if launcher is not None:
            launcher.kill()

    def reap(self, name):
        launcher = self.launchers.pop(name)
        launcher.close_pipes()
        launcher.kill()
        os.waitpid(launcher.process_id, 0)

    def tell_ends(self):
        """Reports launchers that have ended, and does not reap them yet."""
        for name, launcher in self.launchers.items():
            if launcher.has_ended:
                continue
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            end = os.waitid(os.P_PID, launcher.process_id, options)
            if end is not None:
                launcher.has_ended = True
                kind = "status" if end.si_code == os.CLD_EXITED else "signal"
                tell("ended", name.decode(), kind, end.si_status)

    def kill_all(self):
        for name in self.launchers:
            self.kill(name)


def tell(*words):
    answer = " ".join(map(str, words)).encode() + b"\n"
    while answer:
        answer = answer[os.write(STDOUT, answer) :]


def close_all(descriptors):
    for descriptor in descriptors:
        os.close(descriptor)


def close_inherited():
    """Closes descriptors that the host passed on by mistake, because launchers would inherit them."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2:
            try:
                os.close(int(name))
            except OSError:
                # The descriptor that listed the directory.
                pass


def forbid_core_dumps():
    """Sets the only limit with which the kernel neither writes a core dump nor starts the program of the host that
    receives them (`/proc/sys/kernel/core_pattern`). Sandboxes inherit it, and their filter lets them only read it.
    """
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (1, 1))
    except (ValueError, OSError):
        # The limit is 0, and only root can raise it. The report of a sandbox then says that its limits are missing.
        pass


def main():
    close_inherited()
    forbid_core_dumps()
    spawner = Spawner(sys.argv[1:])
    try:
        spawner.serve()
    except BrokenPipeError:
        # The host ended before it read the answer.
        pass
    finally:
        spawner.kill_all()


main()

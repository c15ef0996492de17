"""The guest's two output pipes: when they are read, and which frames go to the host."""

import select
import time

from .. import system
from .output import OutputRelay

# The capacity of a pipe.
_READ_SIZE = 1 << 16
# As many reads as empty a pipe that a program has made as large as the kernel allows.
MOST_READS = 17
# How long output is held back. Each frame wakes every process on its way to the host. With this delay, the output of
# a short program goes out together with its outcome, and lines that follow each other go out together.
_REST = 0.002


class GuestOutput:
    """Reads the output of the guest, and makes frames of it while a program runs."""

    def __init__(self, stdout, stderr, poll):
        self._relays = {stdout: OutputRelay("stdout"), stderr: OutputRelay("stderr")}
        self._poll = poll
        self._own_poll = select.poll()
        # The events of the streams for which the supervisor waits.
        self._events = None
        self._running = False
        # Whether there may be more than was read last, because a program can enlarge its pipes.
        self._has_more = False
        # When output that is held back is read; None while it is read as it arrives.
        self.check_at = None
        for fd in self._relays:
            self._own_poll.register(fd, select.POLLIN)
        self.watch()

    def begin(self, execution_id, limit):
        """Begins a program that can print `limit` bytes to each stream before output is left out."""
        for relay in self._relays.values():
            relay.start(execution_id, limit)
        self._running = True
        self._rest()

    def read(self, fd):
        """Reads from `fd` and returns the frame."""
        data = system.read_some(fd, _READ_SIZE)
        self._has_more = len(data) == _READ_SIZE
        if not self._running:
            return b""
        if len(data) < _READ_SIZE:
            self._rest()
        return self._relays[fd].push(data)

    def read_all(self, fd):
        """Reads everything from `fd` of a guest that does not run, and returns the frames."""
        frames = [self.read(fd)]
        while self._has_more and len(frames) < MOST_READS:
            frames.append(self.read(fd))
        return frames

    def drain(self):
        """Returns the frame of the output so far. Reads no more than the pipes can hold, so that a busy writer cannot
        block it.
        """
        return b"".join([self.read(fd) for fd in self._readable()])

    def drain_all(self):
        """Reads the whole output of a guest that does not run, and returns the frames."""
        return [frame for fd in self._readable() for frame in self.read_all(fd)]

    def _readable(self):
        for fd, events in self._own_poll.poll(0):
            if events & select.POLLIN:
                yield fd
            else:
                self._own_poll.unregister(fd)

    def warn(self, text):
        """Adds a line to the standard error of the program, and returns the frame."""
        *_, stderr = self._relays.values()
        return stderr.push(f"Warning: {text}\n".encode())

    def end(self):
        """Ends the program, and yields the frames of output that was held back."""
        for relay in self._relays.values():
            yield from relay.finish()
        self._running = False
        # The guest prints nothing until the next program begins.
        self.check_at = None

    def watch(self):
        """Reads output as it arrives."""
        self.check_at = None
        self._register(select.POLLIN)

    def _rest(self):
        self.check_at = time.monotonic() + _REST
        self._register(0)

    def _register(self, events):
        if events != self._events:
            self._events = events
            for fd in self._relays:
                self._poll.register(fd, events)

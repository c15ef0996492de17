"""The guest's two output pipes: when they are looked at, and what of them goes to the host."""

import select
import time

from . import process
from .output import OutputRelay

# What a pipe holds.
_READ_SIZE = 1 << 16
# As often as that is read what a pipe holds that a program made as large as it may.
MOST_READS = 17
# How long output rests before it goes out. Each frame wakes everybody on its way to the host: a short
# program's output then goes with its outcome, and lines that follow each other go together.
_REST = 0.002


class GuestOutput:
    """Reads what the guest prints and makes frames of it while a program runs."""

    def __init__(self, stdout, stderr, poll):
        self._relays = {stdout: OutputRelay("stdout"), stderr: OutputRelay("stderr")}
        self._poll = poll
        self._own_poll = select.poll()
        # What of the streams the supervisor waits for.
        self._events = None
        self._running = False
        # Whether something may be left of what was read last. A program can make its pipes larger.
        self._has_more = False
        # When output that rests is looked at; None while it is watched.
        self.look_at = None
        for fd in self._relays:
            self._own_poll.register(fd, select.POLLIN)
        self.watch()

    def begin(self, execution_id, limit):
        """Begins a run that may print `limit` bytes to each stream before something is left out."""
        for relay in self._relays.values():
            relay.start(execution_id, limit)
        self._running = True
        self._rest()

    def read(self, fd):
        """Takes what has come on `fd` and gives the frame of it."""
        data = process.read_some(fd, _READ_SIZE)
        self._has_more = len(data) == _READ_SIZE
        if not self._running:
            return b""
        if len(data) < _READ_SIZE:
            self._rest()
        return self._relays[fd].push(data)

    def read_all(self, fd):
        """Takes all that has come on `fd` of a guest that prints no more, and gives the frames of it."""
        frames = [self.read(fd)]
        while self._has_more and len(frames) < MOST_READS:
            frames.append(self.read(fd))
        return frames

    def drain(self):
        """Takes what was printed so far: no more than pipes hold, or a busy writer would keep us here."""
        return b"".join([self.read(fd) for fd in self._readable()])

    def drain_all(self):
        """Takes all that was printed by a guest that prints no more, and gives the frames of it."""
        return [frame for fd in self._readable() for frame in self.read_all(fd)]

    def _readable(self):
        for fd, events in self._own_poll.poll(0):
            if events & select.POLLIN:
                yield fd
            else:
                self._own_poll.unregister(fd)

    def warn(self, text):
        """Adds a line to what the program wrote to its standard error, and gives the frame of it."""
        *_, stderr = self._relays.values()
        return stderr.push(f"Warning: {text}\n".encode())

    def end(self):
        """Ends the run and gives the frames of what was kept back, one by one."""
        for relay in self._relays.values():
            yield from relay.finish()
        self._running = False
        # It prints no more until the next one begins.
        self.look_at = None

    def watch(self):
        """Has output looked at as it comes."""
        self.look_at = None
        self._register(select.POLLIN)

    def _rest(self):
        self.look_at = time.monotonic() + _REST
        self._register(0)

    def _register(self, events):
        if events != self._events:
            self._events = events
            for fd in self._relays:
                self._poll.register(fd, events)

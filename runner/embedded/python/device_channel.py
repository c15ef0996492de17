"""The guest's end of the road to its supervisor, which in the embedded sandbox is a pair of devices.

`/dev/host` reads and writes lines and never waits. Writing a number of seconds to `/dev/wait` waits.
Both act on an interrupt as system calls do: Python's handler runs, and what it raises comes out.
"""

import os
import struct
import weakref
from collections import deque

from .frames import LineSplitter

# Taken before anything is read: a program that used up the memory must still get its next message.
_READ_SIZE = 1 << 16
_FOREVER = float("inf")


class DeviceChannel:
    """Lines in, lines out. They are read by whoever waits: the guest between runs, an event loop during one."""

    def __init__(self):
        self._splitter = LineSplitter()
        self._lines = deque()
        self._loops = weakref.WeakSet()
        # What the event loops do with a line that they read.
        self.on_line = None

    def open(self, host_fd, wait_fd):
        self._host_fd = host_fd
        self._wait_fd = wait_fd

    def is_readable(self, seconds):
        """Whether something can be received within this time."""
        self.wait(seconds, True)
        self._read()
        return bool(self._lines)

    def receive(self):
        """Waits for the next line."""
        while not self._lines:
            self.wait(_FOREVER, True)
            self._read()
        return self._lines.popleft()

    def received(self):
        """The lines that have come with those that `receive` gave."""
        while self._lines:
            yield self._lines.popleft()

    def send(self, line):
        """Sends a line whole."""
        os.write(self._host_fd, line)

    def listen_to(self, loop):
        """Nobody else could call it: there are no threads."""

    def stop_listening_to(self, loop):
        pass

    def attach(self, loop):
        """Lets `loop` read lines while it runs."""
        self._loops.add(loop)

    def detach(self, loop):
        """The loop runs no more."""
        self._loops.discard(loop)

    def wait_in(self, loop, timeout):
        """Waits as the selector of `loop` does: for lines, where it reads them, and `timeout` seconds at most."""
        reads = loop in self._loops
        if timeout is None or timeout > 0 or reads:
            self.wait(_FOREVER if timeout is None else timeout, reads)
        if reads:
            self._read()
            while self._lines:
                self.on_line(self._lines.popleft())

    def sleep(self, seconds, /):
        """`time.sleep`, which in WebAssembly could not be interrupted."""
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.wait(seconds, False)

    def wait(self, seconds, ends_when_readable):
        """An interrupt that comes up here harms nothing."""
        os.write(self._wait_fd, struct.pack("<d?", seconds, ends_when_readable))

    def _read(self):
        try:
            data = os.read(self._host_fd, _READ_SIZE)
        except BlockingIOError:
            return
        self._lines.extend(self._splitter.push(data))

"""The guest's connection to its supervisor, which is a pair of device files in the embedded sandbox.

Reading and writing lines by `/dev/host` never waits. Writing a number of seconds to `/dev/wait` waits. Both react to
an interrupt as system calls do: Python's handler runs, and the error that it raises propagates.
"""

import os
import struct
import weakref
from collections import deque

from ..shared.frames import DataLineSplitter

# The size of a read, which is allocated before it. Most messages fit into the first one, also with 4 KB of a file. A
# program that used up the memory must still get its next message.
_FIRST_READ_SIZE = 1 << 13
_READ_SIZE = 1 << 16
_FOREVER = float("inf")
_pack_wait = struct.Struct("<d?").pack


class DeviceChannel:
    """Sends and receives lines. The guest reads them between programs, and an event loop during a program."""

    def __init__(self):
        self._splitter = DataLineSplitter()
        self._lines = deque()
        self._loops = weakref.WeakSet()
        # The function to which event loops pass the lines that they read.
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
        """Yields lines that arrived together with the line that `receive` returned."""
        while self._lines:
            yield self._lines.popleft()

    def send(self, line):
        """Sends a whole line."""
        os.write(self._host_fd, line)

    def listen_to(self, loop):
        """Nothing to do: without threads, nothing else can call the loop."""

    def stop_listening_to(self, loop):
        pass

    def attach(self, loop):
        """Lets `loop` read lines while it runs."""
        self._loops.add(loop)

    def detach(self, loop):
        """Stops `loop` from reading lines."""
        self._loops.discard(loop)

    def wait_in(self, loop, timeout):
        """Waits like the selector of `loop`: for lines, if the loop reads them, and at most for `timeout` seconds."""
        reads = loop in self._loops
        if timeout is None or timeout > 0 or reads:
            self.wait(_FOREVER if timeout is None else timeout, reads)
        if reads:
            self._read()
            while self._lines:
                self.on_line(self._lines.popleft())

    def sleep(self, seconds, /):
        """`time.sleep`, which could not be interrupted in WebAssembly."""
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        if seconds != seconds:
            # JavaScript would wait for ever.
            raise ValueError("Invalid value NaN (not a number)")
        self.wait(seconds, False)

    def wait(self, seconds, ends_when_readable):
        """Waits. An interrupt that is raised here does no damage."""
        os.write(self._wait_fd, _pack_wait(seconds, ends_when_readable))

    def _read(self):
        size = _READ_SIZE if self._splitter.is_within_line else _FIRST_READ_SIZE
        try:
            data = os.read(self._host_fd, size)
        except BlockingIOError:
            return
        self._lines.extend(self._splitter.push(data))

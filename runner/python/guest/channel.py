"""The guest's end of the pipes between it and the supervisor."""

import os
import select
from _collections import deque
from _thread import allocate_lock, get_ident
from _weakrefset import WeakSet

from ..shared.frames import TOOL_RESULT, LineSplitter, is_frame


# The capacity of a pipe. With every read, a larger buffer would be allocated and freed.
_READ_SIZE = 1 << 16


class PipeChannel:
    """Sends and receives lines by two pipes. The guest reads between programs, and any event loop during a program."""

    def __init__(self, read_fd, write_fd):
        os.set_blocking(read_fd, False)
        # A thread wakes the main thread by this pipe, if it has read a line that only the main thread may handle.
        self._wake_read, self._wake_write = os.pipe()
        self._main_thread = get_ident()
        self._poll = select.poll()
        self._poll.register(read_fd, select.POLLIN)
        self._poll.register(self._wake_read, select.POLLIN)
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._process = os.getpid()
        self._splitter = LineSplitter()
        self._lines = deque()
        self._lock = allocate_lock()
        self._write_lock = allocate_lock()
        self._loops = WeakSet()
        # The function to which event loops pass the lines that they read.
        self.on_line = None

    def is_readable(self, seconds):
        """Whether something can be received within this time."""
        return bool(self._poll.poll(seconds * 1000))

    def receive(self):
        """Waits for the next line. Returns b"" if it was woken before one came, and None at the end."""
        while not self._lines:
            for fd, _ in self.wait():
                if fd != self._read_fd:
                    if fd == self._wake_read:
                        os.read(self._wake_read, 4096)
                    return b""
                if not self._read(self._lines.extend):
                    return None
        return self._lines.popleft()

    def received(self):
        """Yields lines that arrived together with the line that `receive` returned."""
        while self._lines:
            yield self._lines.popleft()

    def wait(self):
        """Waits until something can be read. An interrupt that is raised here does no damage."""
        return self._poll.poll()

    def listen_to(self, loop):
        """Also wakes `receive` when a thread or a signal handler calls `loop`."""
        self._poll.register(loop._ssock.fileno(), select.POLLIN)

    def stop_listening_to(self, loop):
        self._poll.unregister(loop._ssock.fileno())

    def wake(self):
        """Wakes the thread that waits in `receive`."""
        os.write(self._wake_write, b"\0")

    def send(self, line):
        """Sends a whole line, from any thread."""
        with self._write_lock:
            view = memoryview(line)
            while view:
                view = view[os.write(self._write_fd, view) :]

    def attach(self, loop):
        """Lets `loop` read lines while it runs. Must be called in that loop."""
        if loop not in self._loops:
            self._loops.add(loop)
            loop.add_reader(self._read_fd, self._read_available)

    def _read_available(self):
        # A copy of this process, which a program forked, has the same loop, but what arrives is not for it.
        if os.getpid() == self._process:
            self._read(self._deliver)

    def _deliver(self, lines):
        in_main = get_ident() == self._main_thread
        for line in lines:
            if in_main or is_frame(line, TOOL_RESULT):
                self.on_line(line)
            else:
                # Programs run in the main thread, so a thread of an earlier program must not start one.
                self._lines.append(line)
                self.wake()

    def _read(self, take):
        """Passes the lines that have arrived to `take`. Returns False at the end."""
        # Loops of several threads may wake for the same data: one of them reads it, the others find nothing.
        with self._lock:
            try:
                data = os.read(self._read_fd, _READ_SIZE)
            except BlockingIOError:
                return True
            take(self._splitter.push(data))
        return data != b""

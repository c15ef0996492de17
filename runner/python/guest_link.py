"""The supervisor's end of the road to a guest. Nothing here blocks: the guest may be writing to us at the same moment."""

import os
import select
import time

from . import process
from .frames import LineSplitter
from .guest_output import GuestOutput

# A call's frame that is longer is not the work of the guest's own code for calls.
_MAX_CALL_BYTES = 64_000_000
# What a pipe holds.
_READ_SIZE = 1 << 16
# A guest of its own program gets the message to cancel first. It is interrupted where it has not ended the program by
# then, and looked at so often whether it has entered its code meanwhile.
_INTERRUPT_EVERY = 0.02
# After so long an interrupt has come, and had no effect where the code still runs: Node drops one that comes while it
# notes the rejection of a promise.
_INTERRUPT_AGAIN_AFTER = 0.2
# While the guest takes nothing in, so much is held for it before the host's input waits.
_MAX_UNTAKEN_BYTES = 16_000_000


def read_interpreters(arguments):
    """
    The languages that each interpreter serves, the program that it needs and its command, None for Python itself.
    On the command line the length of the command stands before it: `python '' 0 bash bash 2 python3 -I`.
    """
    arguments = iter(arguments)
    interpreters = []
    for languages in arguments:
        program = next(arguments)
        command = [next(arguments) for _ in range(int(next(arguments)))]
        interpreters.append((languages.split(","), program, command or None))
    return interpreters


class GuestLink:
    """A guest process, what waits to be written to it, and what it prints."""

    def __init__(self, command, poll):
        self._process = process.GuestProcess(command)
        self._poll = poll
        self._untaken = bytearray()
        self._lines = LineSplitter(_MAX_CALL_BYTES)
        self._is_python = command is None
        # A forked Python is stopped like any other program while it loads: it knows what came before its first one.
        self._is_ready = self._is_python
        # What waits until the guest has loaded.
        self._program = b""
        self._interrupt_at = None
        self.pid = self._process.pid
        self.control_read = self._process.control_read
        self.control_write = self._process.control_write
        self.streams = (self._process.stdout, self._process.stderr)
        poll.register(self.control_read, select.POLLIN)
        poll.register(self.control_write, 0)
        self.output = GuestOutput(*self.streams, poll)

    def send(self, data):
        """Writes as much as the guest takes now, and the rest when it takes more."""
        if not self._untaken:
            data = data[process.write_some(self.control_write, data) :]
        if data:
            self._untaken += data
            self._watch()

    def begin(self, program):
        """Has the guest run a program as soon as it has loaded."""
        if self._is_ready:
            self.send(program)
        else:
            self._program = program

    def withdraw(self):
        """Takes the program back. False where the guest has it."""
        waits, self._program = bool(self._program), b""
        return waits

    def on_ready(self):
        """It has loaded."""
        self._is_ready = True
        if self._program:
            self.send(self._program)
            self._program = b""

    def push(self):
        """Writes more of what waits."""
        del self._untaken[: process.write_some(self.control_write, self._untaken)]
        self._watch()

    def _watch(self):
        self._poll.register(self.control_write, select.POLLOUT if self._untaken else 0)
        self._poll.modify(0, select.POLLIN if len(self._untaken) < _MAX_UNTAKEN_BYTES else 0)

    def receive(self):
        """The lines that have come. Raises `FrameError` for one that is too long."""
        return self._lines.push(os.read(self.control_read, _READ_SIZE))

    def interrupt(self):
        """Interrupts the program as soon as that is taken for what it is."""
        if self._is_python:
            # It loses none, and a second one would break into what the program does about the first.
            self._process.interrupt()
        else:
            self._interrupt_at = time.monotonic() + _INTERRUPT_EVERY

    def deadlines(self):
        """When there is something to do, as far as there is."""
        return (self.output.look_at, self._interrupt_at)

    def keep_time(self, now):
        if self.output.look_at is not None and now >= self.output.look_at:
            self.output.watch()
        if self._interrupt_at is not None and now >= self._interrupt_at and not self._has_said_more():
            is_sent = self._process.interrupt()
            self._interrupt_at = now + (_INTERRUPT_AGAIN_AFTER if is_sent else _INTERRUPT_EVERY)

    def _has_said_more(self):
        """Whether something of the guest's is to be read, such as its program's end."""
        return bool(select.select([self.control_read], [], [], 0)[0])

    def end_run(self):
        """Ends the run and gives the frames of what was kept back, one by one."""
        if self._interrupt_at is not None:
            self._interrupt_at = None
            self._process.forget_interrupt()
        return self.output.end()

    def kill(self):
        self._process.kill()

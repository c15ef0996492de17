"""The supervisor's end of the road to a guest. Nothing here blocks: the guest may be writing to us at the same moment."""

import os
import select

from . import process
from .frames import LineSplitter
from .guest_output import GuestOutput

# A call's frame that is longer is not the work of the guest's own code for calls.
_MAX_CALL_BYTES = 64_000_000
# What a pipe holds.
_READ_SIZE = 1 << 16
# While the guest takes nothing in, so much is held for it before the host's input waits.
_MAX_UNTAKEN_BYTES = 16_000_000


def read_interpreters(arguments):
    """
    The languages that each interpreter serves and its command, None for Python itself. On the command line
    they are the languages, the length of the command, and the command: `python 0 bash 2 bash --norc`.
    """
    arguments = iter(arguments)
    interpreters = []
    for languages in arguments:
        command = [next(arguments) for _ in range(int(next(arguments)))]
        interpreters.append((languages.split(","), command or None))
    return interpreters


class GuestLink:
    """A guest process, what waits to be written to it, and what it prints."""

    def __init__(self, command, poll):
        self._process = process.GuestProcess(command)
        self._poll = poll
        self._untaken = bytearray()
        self._lines = LineSplitter(_MAX_CALL_BYTES)
        # A forked Python takes an interrupt from its beginning; any other program says when it does.
        self._takes_interrupts = command is None
        self._interrupted = False
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
        self._interrupted = not self._takes_interrupts
        if self._takes_interrupts:
            self._process.interrupt()

    def on_ready(self):
        """It takes interrupts from now on."""
        self._takes_interrupts = True
        if self._interrupted:
            self.interrupt()

    def kill(self):
        self._process.kill()

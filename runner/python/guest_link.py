"""The supervisor's end of the road to a guest. Nothing here blocks: the guest may be writing to us at the same moment."""

import select
import time
from itertools import chain

import _signal as signal

from . import process, processes, reports
from .frames import TOOL_RESULT, VALUE, FrameError, LineSplitter, is_frame
from .guest_output import MOST_READS, GuestOutput

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
_NEWLINE = 0x0A


class GuestLink:
    """A guest process, what waits to be written to it, and what it prints."""

    def __init__(self, command, poll, keeps_shell):
        self._process = process.GuestProcess(command)
        self._poll = poll
        self._untaken = bytearray()
        # Whether what was written last ended a line.
        self._ends_line = True
        self._lines = LineSplitter(reports.MAX_BYTES)
        self._max_call_bytes = 0
        self._is_python = command is None
        # A forked Python is stopped like any other program while it loads: it knows what came before its first one.
        self._is_ready = self._is_python
        # What waits until the guest has loaded.
        self._program = b""
        self._interrupt_at = None
        # What the guest said last of a program's end, in short.
        self._told = None
        # The frame of what the program hands back, which goes to the host right before the outcome.
        self._value = b""
        self.pid = self._process.pid
        # The processes of the guest's own that it keeps from run to run, with the ticks of their processor time.
        self._keeps_shell = keeps_shell
        self._kept = {}
        self._children = processes.ChildrenList(self.pid)
        self.control_read = self._process.control_read
        self.control_write = self._process.control_write
        self.streams = (self._process.stdout, self._process.stderr)
        self._rest = select.poll()
        for fd in (self.control_read, *self.streams):
            self._rest.register(fd, select.POLLIN)
        poll.register(self.control_read, select.POLLIN)
        poll.register(self.control_write, 0)
        self.output = GuestOutput(*self.streams, poll)

    def send(self, data):
        """Writes as much as the guest takes now, and the rest when it takes more."""
        if not self._untaken:
            data = data[self._write(data) :]
        if data:
            self._untaken += data
            self._watch()

    def begin(self, execution_id, output_limit, program):
        """Has the guest run a program as soon as it has loaded."""
        if not self._process.is_frozen:
            # What an interpreter printed while it loaded belongs to no run.
            self.output.drain()
        self.output.begin(execution_id, output_limit)
        if self._is_ready:
            self.send(program)
        else:
            self._program = program
        self._process.thaw()
        for pid in self._kept:
            processes.send(pid, signal.SIGCONT)

    def withdraw(self):
        """Takes the program back. False where the guest has it."""
        waits, self._program = bool(self._program), b""
        return waits

    def on_ready(self, line):
        """It has loaded, and says so."""
        if self._is_ready:
            # A program can say so too.
            return
        self._is_ready = True
        shell = reports.read_shell(line)
        if not self._process.is_frozen:
            self._keep_shell(shell)
        if self._program:
            self.send(self._program)
            self._program = b""

    def push(self):
        """Writes more of what waits."""
        del self._untaken[: self._write(self._untaken)]
        self._watch()

    def _write(self, data):
        written = process.write_some(self.control_write, data)
        if written:
            self._ends_line = data[written - 1] == _NEWLINE
        return written

    def _drop_results(self):
        """Drops results that the guest has not taken: its program is over, and a frozen guest takes in nothing."""
        if not self._untaken and self._ends_line:
            return
        *lines, _ = self._untaken.split(b"\n")
        kept = [line for line in lines if not line.startswith(TOOL_RESULT[0])]
        if not self._ends_line:
            # What the guest has of a line is ended here, and is a frame no more.
            kept[:1] = [b""]
        self._untaken = bytearray(b"".join(b"%b\n" % line for line in kept))
        self._watch()

    def _watch(self):
        self._poll.register(self.control_write, select.POLLOUT if self._untaken else 0)
        self._poll.modify(0, select.POLLIN if len(self._untaken) < _MAX_UNTAKEN_BYTES else 0)

    def receive(self):
        """The lines that have come. Raises `FrameError` for one that is too long."""
        return self._lines.push(process.read_some(self.control_read, _READ_SIZE))

    def receive_rest(self):
        """The lines and the frames of output that are left of a guest that is frozen."""
        lines = []
        frames = []
        for fd, events in self._rest.poll(0):
            if not events & select.POLLIN:
                self._rest.unregister(fd)
            elif fd in self.streams:
                frames += self.output.read_all(fd)
            else:
                # No more than a pipe holds: a guest that goes on all the same would keep us here.
                for _ in range(MOST_READS):
                    lines += self.receive()
        return lines, frames

    def take_report(self, line, execution_id):
        """
        The guest's word on how this run ended; None for what its program hands back, which comes before, and if it says
        once more what it said last, as Node does after an interrupt. Raises `FrameError` for anything else: no guest of
        ours says that.
        """
        if is_frame(line, VALUE):
            self.check_size(line)
            if execution_id is not None:
                self._value = line
            return None
        report, shell = reports.read_report(line)
        told = reports.digest(report)
        if told == self._told:
            return None
        if report["execution_id"] != execution_id:
            raise FrameError("a report of a run that was over, or never was")
        self._told = told
        self._keep_shell(shell)
        return report

    def _keep_shell(self, pid):
        """Whom a guest names is its program's word: it is taken for a child of a guest that has a shell."""
        self._kept = {pid: 0} if self._keeps_shell and pid in processes.children(self.pid) else {}

    def freeze(self):
        """Stops the guest and what it keeps. False if it has ended instead."""
        if not self._process.freeze():
            return False
        # One that is still loading may have started its shell, and may load by other processes: it keeps all of them.
        pids = list(self._kept) if self._is_ready else processes.children(self.pid)
        self._kept = {}
        for pid in pids:
            self._kept[pid] = processes.freeze(pid)
            pids += () if self._is_ready else processes.children(pid)
        return True

    def has_gone_on(self):
        """Whether the guest has gone on since `freeze`."""
        return self._process.has_gone_on()

    def has_kept_gone_on(self):
        """Whether something that it keeps has gone on since `freeze`."""
        return self._process.is_frozen and any(processes.has_gone_on(*one) for one in self._kept.items())

    @property
    def pids(self):
        """The guest and what it keeps."""
        return (self.pid, *self._kept)

    def has_no_children(self):
        """Whether the guest, which is frozen, has none for sure. One that keeps a process has to be looked at."""
        return not self._kept and self._children.are_none()

    def configure(self, settings, line):
        """Passes on the host's settings, and heeds what they say of calls."""
        self._max_call_bytes = settings["call_limit_bytes"]
        self._lines.limit = max(self._max_call_bytes, reports.MAX_BYTES)
        self.send(line)

    def check_size(self, line):
        """
        Raises `FrameError` for a call or a value that the guest's own code would not have sent: the host would end the
        session.
        """
        if len(line) > self._max_call_bytes:
            raise FrameError(f"a call or a value is longer than {self._max_call_bytes} bytes")

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
        self._drop_results()
        value, self._value = self._value, b""
        return chain(self.output.end(), [value])

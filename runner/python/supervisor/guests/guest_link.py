"""The supervisor's end of the pipes to a guest. Nothing here blocks, because the guest may be writing at the same
time.
"""

import select
import sys
import time
from itertools import chain

import _signal as signal

from ...shared import processes
from ...shared.frames import TOOL_RESULT, VALUE, FrameError, LineSplitter, is_frame
from .. import system
from . import process, reports
from .guest_output import MOST_READS, GuestOutput

# The capacity of a pipe.
_READ_SIZE = 1 << 16
# A guest that is not Python first gets the message to cancel its program. If that does not end the program, the guest is
# interrupted while it is in the program's code, which is checked at this interval.
_INTERRUPT_EVERY = 0.02
# After this time, an interrupt has arrived. If the code still runs, it had no effect: Node drops an interrupt that
# arrives while it records the rejection of a promise.
_INTERRUPT_AGAIN_AFTER = 0.2
# While a guest that is not frozen reads nothing, this many bytes are buffered for it before the host's input waits.
_MAX_UNTAKEN_BYTES = 16_000_000
_NEWLINE = 0x0A


class GuestLink:
    """A guest process, the bytes that wait to be written to it, and its output."""

    def __init__(self, command, poll, keeps_shell):
        self._process = process.GuestProcess(command)
        self._poll = poll
        self._untaken = bytearray()
        # Whether the bytes that were written last ended a line.
        self._ends_line = True
        self._lines = LineSplitter(reports.MAX_BYTES)
        self._max_call_bytes = 0
        self._is_python = command is None
        # A Python guest is forked after its imports, so an interrupt cannot break them: it is ready at once.
        self._is_ready = self._is_python
        self._version = "%d.%d.%d" % sys.version_info[:3] if self._is_python else None
        # The languages whose configurations are answered when the guest has loaded.
        self._configured = []
        # The program that waits until the guest has loaded.
        self._program = b""
        self._interrupt_at = None
        # A digest of the last report of the guest.
        self._reported = None
        # The frame with the value of the program, which goes to the host right before the outcome.
        self._value = b""
        self.pid = self._process.pid
        # Processes that the guest keeps between programs, with the ticks of their processor time.
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
        """Writes as much as the guest accepts now, and the rest later."""
        if not self._untaken:
            data = data[self._write(data) :]
        if data:
            self._untaken += data
            self._watch()

    def begin(self, execution_id, output_limit, program):
        """Sends a program to the guest as soon as it has loaded."""
        if not self._process.is_frozen:
            # Output from loading belongs to no program.
            self.output.drain()
        self.output.begin(execution_id, output_limit)
        if self._is_ready:
            self.send(program)
        else:
            self._program = program
        self._resume()

    def _resume(self):
        self._process.resume()
        for pid in self._kept:
            processes.send(pid, signal.SIGCONT)

    def withdraw(self):
        """Takes the program back. Returns False if the guest already has it."""
        waits, self._program = bool(self._program), b""
        return waits

    def on_ready(self, line):
        """The guest reports that it has loaded."""
        if self._is_ready:
            # A program can send this message too.
            return
        self._is_ready = True
        shell, self._version = reports.read_ready(line)
        if not self._process.is_frozen:
            self._keep_shell(shell)
        if self._program:
            self.send(self._program)
            self._program = b""

    def push(self):
        """Writes more of the bytes that wait."""
        del self._untaken[: self._write(self._untaken)]
        self._watch()

    def _write(self, data):
        written = system.write_some(self.control_write, data)
        if written:
            self._ends_line = data[written - 1] == _NEWLINE
        return written

    def _drop_results(self):
        """Drops tool results that the guest has not read: its program is over, and a frozen guest reads nothing."""
        if not self._untaken and self._ends_line:
            return
        *lines, _ = self._untaken.split(b"\n")
        kept = [line for line in lines if not line.startswith(TOOL_RESULT[0])]
        if not self._ends_line:
            # The part of a line that the guest has is ended here, and is not a valid frame any more.
            kept[:1] = [b""]
        self._untaken = bytearray(b"".join(b"%b\n" % line for line in kept))
        self._watch()

    def _watch(self):
        self._poll.register(self.control_write, select.POLLOUT if self._untaken else 0)
        # A frozen guest reads nothing before its program begins, and that program is in the host's input. What the host
        # sends before it is only the configuration.
        waits = len(self._untaken) >= _MAX_UNTAKEN_BYTES and not self._process.is_frozen
        self._poll.modify(0, 0 if waits else select.POLLIN)

    def receive(self):
        """Returns the lines that have arrived. Raises `FrameError` for a line that is too long."""
        return self._lines.push(system.read_some(self.control_read, _READ_SIZE))

    def receive_rest(self):
        """Returns the remaining lines and the frames of the remaining output of a frozen guest."""
        lines = []
        frames = []
        for fd, events in self._rest.poll(0):
            if not events & select.POLLIN:
                self._rest.unregister(fd)
            elif fd in self.streams:
                frames += self.output.read_all(fd)
            else:
                # Reads no more than a pipe can hold. A guest that continues nevertheless would keep this loop busy.
                for _ in range(MOST_READS):
                    lines += self.receive()
        return lines, frames

    def take_report(self, line, execution_id):
        """Returns the guest's report of how its program ended. Returns None for the value of a program, which comes
        before the report, and for a repetition of the last report, which Node sends after an interrupt. Raises
        `FrameError` for anything else, because the code of a guest never sends it.
        """
        if is_frame(line, VALUE):
            self.check_size(line)
            if execution_id is not None:
                self._value = line
            return None
        report, shell = reports.read_report(line)
        told = reports.digest(report)
        if told == self._reported:
            return None
        if report["execution_id"] != execution_id:
            raise FrameError("a report of a run that was over, or never was")
        self._reported = told
        self._keep_shell(shell)
        return report

    def _keep_shell(self, pid):
        """A program can forge this id, so it is accepted only for a child of a guest that has a shell."""
        self._kept = {pid: 0} if self._keeps_shell and pid in processes.children(self.pid) else {}

    def freeze(self):
        """Stops the guest and the processes that it keeps. Returns False if the guest has ended instead."""
        if not self._process.freeze():
            return False
        # A guest that still loads may have started its shell, and may load by other processes, so it keeps all of
        # them.
        pids = list(self._kept) if self._is_ready else processes.children(self.pid)
        # All are in it before one of them is awaited: if that takes long, every process that no guest keeps is killed.
        self._kept = dict.fromkeys(pids, 0)
        for pid in pids:
            self._kept[pid] = processes.freeze(pid)
            if not self._is_ready:
                found = processes.children(pid)
                self._kept.update(dict.fromkeys(found, 0))
                pids += found
        return True

    def has_continued(self):
        """Whether the guest has continued since `freeze`."""
        return self._process.has_continued()

    def has_kept_continued(self):
        """Whether a process that the guest keeps has continued since `freeze`."""
        return self._process.is_frozen and any(processes.has_continued(*one) for one in self._kept.items())

    @property
    def pids(self):
        """The guest and the processes that it keeps."""
        return (self.pid, *self._kept)

    def has_no_children(self):
        """Whether the frozen guest certainly has no children. If it keeps a process, all processes must be checked."""
        return not self._kept and self._children.are_none()

    def configure(self, settings, line):
        """Passes the host's settings on, and applies its limits for calls."""
        self._max_call_bytes = settings["call_limit_bytes"]
        self._lines.limit = max(self._max_call_bytes, reports.MAX_BYTES)
        self.send(line)
        self._configured.append(settings["language"])
        if not self._is_ready:
            # It may have been frozen before it had loaded.
            self._resume()

    def take_configured(self):
        """Returns the languages that were configured since the last call, with the version of their interpreter, if it
        has loaded.
        """
        if not self._is_ready:
            return []
        languages, self._configured = self._configured, []
        return [(language, self._version) for language in languages]

    def check_size(self, line):
        """Raises `FrameError` for a call, an image or a value that the code of the guest would not have sent, because the host
        would end the session.
        """
        if len(line) > self._max_call_bytes:
            raise FrameError(f"a call, an image or a value is longer than {self._max_call_bytes} bytes")

    def interrupt(self):
        """Interrupts the program as soon as the guest can handle it."""
        if self._is_python:
            # Python loses no interrupt, and a second one would disturb how the program handles the first.
            self._process.interrupt()
        else:
            self._interrupt_at = time.monotonic() + _INTERRUPT_EVERY

    def processor_seconds(self):
        """How long the threads of the guest and of the processes that it keeps have run, and how long they have been
        ready to run without a processor, in their whole lives.
        """
        return tuple(map(sum, zip(*map(processes.processor_seconds, self.pids))))

    def is_ready_to_run(self):
        """Whether the guest, or a process that it keeps, runs or waits for a processor."""
        return any(map(processes.is_ready_to_run, self.pids))

    def deadlines(self):
        """The deadlines of this guest; None for those that are not set."""
        return (self.output.check_at, self._interrupt_at)

    def keep_time(self, now):
        if self.output.check_at is not None and now >= self.output.check_at:
            self.output.watch()
        if self._interrupt_at is not None and now >= self._interrupt_at and not self._has_said_more():
            is_sent = self._process.interrupt()
            self._interrupt_at = now + (_INTERRUPT_AGAIN_AFTER if is_sent else _INTERRUPT_EVERY)

    def _has_said_more(self):
        """Whether the guest has sent something that was not read yet, such as the end of its program."""
        return bool(select.select([self.control_read], [], [], 0)[0])

    def end_run(self):
        """Ends the program, and returns the frames of output that was held back, one by one."""
        if self._interrupt_at is not None:
            self._interrupt_at = None
            self._process.forget_interrupt()
        if self._is_ready:
            # Otherwise the program has not begun, and what the guest has not read is its configuration.
            self._drop_results()
        value, self._value = self._value, b""
        return chain(self.output.end(), [value])

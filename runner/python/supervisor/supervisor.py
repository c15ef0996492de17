"""Process 1 of a sandbox, between the host and the guests. It alone has the real streams, and it runs no program.

It sees itself how an interpreter ended, and to which stream something was printed. Whether a program succeeded, the
program reports; after the report, all processes of the program are stopped, so the report stays true.
"""

import os
import select
import sys
import time

import _signal as signal

from ..shared import processes
from ..shared.frames import ATTACH, ATTACHED, CALL_GIVEN_UP, CANCEL, CONFIGURE, CONFIGURED, EXECUTE, EXIT
from ..shared.frames import EXTEND, FILE_CANCEL, FILE_REQUEST, HOST_MARKERS, IMAGE, OUTCOME, PROTOCOL_VERSION, READY
from ..shared.frames import REPORT, TOOL_CALL, WAITING, FrameError, decode, encode, is_frame, split_data, without_tools
from ..shared.output_directory import OutputDirectory
from . import deadlines, system
from .child_signals import ChildSignals
from .file_process import FileProcess
from .guests import outcomes, process
from .guests.guests import Guests
from .host_streams import HostInput, HostOutput

# The capacity of a pipe.
_READ_SIZE = 1 << 16


class HostGone(Exception):
    """The host closed its end or asked the sandbox to end, or no host connected in time."""


class GuestGone(Exception):
    """A guest has ended, and its end was reported."""


class Supervisor:
    """Serves one host and the guests, until the host or a guest is gone."""

    def __init__(self, interpreters):
        """Starts the first guest of `interpreters`. The others start with their first programs."""
        self._child_signals = ChildSignals()
        self._poll = select.poll()
        self._handlers = {0: self._on_host_input, self._child_signals.fd: self._on_child_event}
        for fd in self._handlers:
            self._poll.register(fd, select.POLLIN)
        self._guests = Guests(interpreters, self._poll, self._listen_to, self._kill, self._child_signals)
        # The guest of the current or last program; None if its interpreter is missing.
        self._guest = self._guests.link(interpreters[0][0][0])
        self._output = HostOutput()
        self._outputs = OutputDirectory(os.environ.get("OUTPUT_DIR"))
        self._files = FileProcess(self._poll, self._handlers.__setitem__, self._output.tell, self._guests)
        # Results of a program that has ended are dropped: a frozen guest would not read them.
        self._host_input = HostInput(self._on_host_frame, lambda data: self._execution_id is not None and self._to_guest(data))
        self._execution_id = None
        self._executions = 0
        # Whether a host connected while a program of another host ran. It is answered when that program has ended.
        self._host_waits = False
        self._attach_id = None
        # Whether the last program was stopped because there was no host.
        self._stopped_alone = False
        self._clock = deadlines.HostClock()
        self._stop = self._fault = None
        self._killed = False
        self._output_limit = 1 << 20
        self._stop_limits = (1.0, 5.0)
        self._memory_kills = system.count_memory_kills()

    def _listen_to(self, guest):
        self._handlers[guest.control_read] = lambda: self._on_guest_lines(guest)
        self._handlers[guest.control_write] = guest.push
        for fd in guest.streams:
            self._handlers[fd] = lambda fd=fd: self._on_output(guest, fd)

    def run(self):
        """Serves until the host or a guest is gone."""
        system.write_all(
            1, encode(READY, {"protocol": PROTOCOL_VERSION, "language": "python", "version": "%d.%d.%d" % sys.version_info[:3]})
        )
        self._child_signals.report_stops(False)
        while True:
            deadline = self._next_deadline()
            for fd, events in system.wait(self._poll, deadlines.ms_until(deadline)):
                if events & (select.POLLIN | select.POLLOUT):
                    self._handlers[fd]()
                elif fd == 0:
                    return
                else:
                    # The process closed its end, as it does when it ends; its wait status follows.
                    system.unregister(self._poll, fd)
            now = time.monotonic()
            if now >= deadline:
                self._keep_time(now)

    def _next_deadline(self):
        own = self._guest.deadlines() if self._guest else ()
        return deadlines.earliest((self._stop and self._stop.at, self._clock.expire_at, self._guests.check_at, *own))

    def _keep_time(self, now):
        if self._guest:
            self._guest.keep_time(now)
        self._guests.keep_time(now)
        if self._stop is not None and self._stop.is_over(now):
            self._stop = None
            self._kill()
        if self._clock.has_expired(now):
            if self._execution_id is None:
                raise HostGone
            self._stopped_alone = True
            self._stop_program()

    def _kill(self, fault=None):
        """Kills the guests. `fault` is the reason, if it is not that the program must stop. Their end is reported
        later.
        """
        self._fault = self._fault or fault
        self._killed = True
        processes.send_all(signal.SIGKILL)

    # From the host

    def _on_host_input(self):
        data = os.read(0, _READ_SIZE)
        if not data:
            raise HostGone
        self._host_input.push(data)

    def _on_host_frame(self, line):
        try:
            marker, body = decode(without_tools(split_data(line)[1]), HOST_MARKERS)
        except FrameError:
            # An earlier host died in the middle of a line. The next host begins with a new line.
            return
        if marker is EXECUTE:
            self._begin(body, line)
        elif marker is CONFIGURE:
            self._output_limit = body["output_limit_bytes"]
            self._stop_limits = (body["cancel_grace_ms"] / 1000, body["cancel_limit_ms"] / 1000)
            guest = self._guests.link(body["language"])
            if guest is None:
                self._tell_configured([(body["language"], None)])
            else:
                guest.configure(body, line)
                self._tell_configured(guest.take_configured())
        elif marker is CANCEL:
            self._cancel(body["execution_id"])
            self._to_guest(line)
        elif marker is FILE_REQUEST:
            self._files.request(body["request_id"], line)
        elif marker is FILE_CANCEL:
            self._files.cancel(body["request_id"])
        elif marker is EXTEND:
            self._extend(body["execution_id"], body["time_limit_ms"] / 1000)
        elif marker is ATTACH:
            self._attach(body["attach_id"], body["idle_limit_ms"] / 1000)
        elif marker is EXIT:
            raise HostGone

    def _tell_configured(self, interpreters):
        for language, version in interpreters:
            self._output.add(encode(CONFIGURED, {"language": language, "version": version}))
        self._output.write()

    def _begin(self, body, line):
        self._execution_id = body["execution_id"]
        self._executions += 1
        self._stopped_alone = False
        self._extend(self._execution_id, body["time_limit_ms"] / 1000)
        guest = self._guests.link(body["language"])
        if guest is None:
            self._end((), outcomes.no_interpreter(body["language"]), None)
        else:
            self._guest = guest
            self._guests.unwatch()
            guest.begin(self._execution_id, self._output_limit, line)

    def _extend(self, execution_id, time_limit):
        """Restarts the time after which a program without a host is stopped."""
        if execution_id == self._execution_id:
            self._clock.extend(time_limit)

    def _cancel(self, execution_id):
        if execution_id == self._execution_id and self._guest.withdraw():
            if self._guests.watch():
                self._end(self._guest.end_run(), outcomes.not_begun(), None)
        elif execution_id == self._execution_id and self._stop is None:
            self._stop = deadlines.StopDeadline(*self._stop_limits, self._guest)
            self._guest.interrupt()

    def _attach(self, attach_id, idle_limit):
        self._attach_id = attach_id
        self._clock.idle_limit = idle_limit
        self._host_waits = self._execution_id is not None
        if self._host_waits:
            self._stop_program()
        else:
            self._answer_host(self._stopped_alone)
            self._output.write()

    def _stop_program(self):
        cancel = encode(CANCEL, {"execution_id": self._execution_id})
        self._cancel(self._execution_id)
        self._to_guest(cancel)

    def _answer_host(self, interrupted):
        body = {"attach_id": self._attach_id, "executions": self._executions, "interrupted": interrupted}
        self._output.add(encode(ATTACHED, body))
        self._host_waits = False
        self._clock.rest()

    def _to_guest(self, data):
        if self._guest is not None:
            self._guest.send(data)

    # From a guest. A program can forge each of these messages.

    def _on_guest_lines(self, guest):
        calls = []
        report = None
        try:
            lines = guest.receive()
            for line in lines:
                if is_frame(line, TOOL_CALL) or is_frame(line, CALL_GIVEN_UP) or is_frame(line, WAITING):
                    guest.check_size(line)
                    calls.append(line)
                elif is_frame(line, IMAGE) or is_frame(line, REPORT):
                    guest.check_size(line)
                    # With output and outcome on one stream, in the order in which the program made them.
                    self._relay_output(line)
                elif is_frame(line, READY):
                    guest.on_ready(line)
                    self._tell_configured(guest.take_configured())
                else:
                    due = self._execution_id if guest is self._guest and report is None else None
                    found = guest.take_report(line, due)
                    if found is not None and self._stop_all():
                        report = found
                        # Now everything has arrived that the program reported and printed.
                        rest, printed = guest.receive_rest()
                        lines += rest
                        self._output.write_all(printed)
        except FrameError as error:
            report = None
            self._kill(outcomes.WROTE % error)
        except TimeoutError:
            self._kill(outcomes.CANNOT_END)
        if calls:
            # Output that was printed before a call has arrived together with the call, and is sent before it.
            self._relay_output()
            system.write_all(2, b"".join(calls))
        if report is not None:
            self._end(guest.end_run(), report, None)
            self._guests.watch()

    def _stop_all(self):
        """Stops all processes of the program before the host gets its outcome. Returns False if a guest has ended."""
        killed = self._guests.stop_all(self._stop is not None, self._relay_output)
        if killed is None:
            self._on_child_event()
        elif killed > 0:
            self._output.add(self._guest.output.warn(outcomes.LEFTOVERS % killed))
        return killed is not None

    def _relay_output(self, then=b""):
        self._output.tell(self._guest.output.drain() + then)

    def _on_output(self, guest, fd):
        self._output.tell(guest.output.read(fd))

    def _end(self, rest, report, interpreter_end):
        self._output.write_all(rest)
        outputs = self._outputs.take() if interpreter_end is None else None
        outcome = {**report, "execution_id": self._execution_id, "interpreter_end": interpreter_end, "outputs": outputs}
        self._output.add(encode(OUTCOME, outcome))
        self._execution_id = self._stop = None
        self._clock.rest()
        if self._host_waits and interpreter_end is None:
            self._answer_host(True)
        self._output.write()
        # Those of this program do not explain the end of the next. One between them does: it was the interpreter.
        self._memory_kills = system.count_memory_kills()

    def _on_child_event(self):
        """Reaps children. If a guest is among them, everything ends: raises `GuestGone`."""
        system.read_some(self._child_signals.fd, _READ_SIZE)
        statuses = process.reap((*self._guests.pids, *self._guests.helpers))
        self._files.on_reaped(statuses)
        status = next((statuses[pid] for pid in self._guests.pids if pid in statuses), None)
        if status is None:
            if self._execution_id is None:
                self._guests.check()
            return
        processes.send_all(signal.SIGKILL)
        if self._execution_id is not None:
            end = system.describe_end(status, self._killed, self._memory_kills)
            report = outcomes.interpreter_ended(end) if self._fault is None else outcomes.disturbed(self._fault)
            self._output.write_all(self._guest.output.drain_all())
            self._end(self._guest.end_run(), report, end)
        raise GuestGone

"""Process 1 of a sandbox: between the host and the guest interpreter.

It alone holds the real streams and writes outcome frames, and it runs no program. So an outcome,
an exit status and a stream's name are facts, a runaway guest can be stopped from beside it, and its
death is told by somebody who outlived it.
"""

import os
import select
import sys
import time

from . import outcomes, process
from .frames import (
    ATTACH, ATTACHED, CALL_GIVEN_UP, CANCEL, CONFIGURE, EXECUTE, EXIT, EXTEND, HOST_MARKERS, OUTCOME,
    PROTOCOL_VERSION, READY, TOOL_CALL, FrameError, decode, encode, is_frame,
)
from .guest_link import GuestLink, read_interpreters
from .host_input import HostInput

# What a pipe holds.
_READ_SIZE = 1 << 16
# So much longer than its limit a program may run until it is stopped with no host to do so.
_HOST_PATIENCE = 5.0
# `poll` counts in 32 bits.
_LONGEST_WAIT_MS = 2_000_000_000


class _HostGone(Exception):
    """The host closed its end or asked for the end, or none came in time."""


class _GuestGone(Exception):
    """A guest ended; its end has been told."""


class Supervisor:
    """Serves one host, and a guest for each interpreter, until the host or a guest is gone."""

    def __init__(self, interpreters):
        """Starts the first of what `read_interpreters` gave, and the others with their first programs."""
        self._interpreters = {language: one for one in interpreters for language in one[0]}
        self._child_events = process.watch_children()
        self._poll = select.poll()
        self._handlers = {0: self._on_host_input, self._child_events: self._on_child_event}
        for fd in self._handlers:
            self._poll.register(fd, select.POLLIN)
        # By language. Where several share an interpreter, they share the link.
        self._guests = {}
        # That of the program under way, or of the last one.
        self._guest = self._link(interpreters[0][0][0])
        # Frames to be written to the host together.
        self._frames = []
        self._host_input = HostInput(self._on_host_frame, self._to_guest)
        self._execution_id = None
        self._executions = 0
        # A host that came while the program of another ran: it is answered when that has ended.
        self._host_waits = False
        self._attach_id = None
        # Whether the last program was stopped for want of a host.
        self._stopped_alone = False
        self._idle_limit = None
        # When the sandbox ends by itself or, while a program runs, when that is stopped with no host to do so.
        self._expire_at = None
        self._kill_at = None
        self._killed = False
        self._output_limit = 1 << 20
        self._cancel_grace = 1.0
        self._memory_kills = process.count_memory_kills()

    def _link(self, language):
        """The road to a language's guest, started now where it was not. None where there is no such interpreter."""
        if language not in self._guests:
            languages, program, command = self._interpreters[language]
            if command is not None and not process.has_program(program):
                return None
            guest = GuestLink(command, self._poll)
            self._handlers[guest.control_read] = lambda: self._on_guest_lines(guest)
            self._handlers[guest.control_write] = guest.push
            for fd in guest.streams:
                self._handlers[fd] = lambda fd=fd: self._on_output(guest, fd)
            self._guests.update(dict.fromkeys(languages, guest))
        return self._guests[language]

    def run(self):
        """Serves until the host or the guest is gone."""
        process.write_all(1, encode(READY, {
            "protocol": PROTOCOL_VERSION,
            "language": "python",
            "version": "%d.%d.%d" % sys.version_info[:3],
        }))
        while True:
            for fd, events in self._poll.poll(self._time_left_ms()):
                if events & (select.POLLIN | select.POLLOUT):
                    self._handlers[fd]()
                elif fd == 0:
                    return
                else:
                    # The guest closed its end, as it does when it dies; its wait status follows.
                    self._poll.unregister(fd)
            self._keep_time()

    def _time_left_ms(self):
        own = self._guest.deadlines() if self._guest else ()
        deadlines = [at for at in (self._kill_at, self._expire_at, *own) if at is not None]
        if not deadlines:
            return None
        return min(_LONGEST_WAIT_MS, max(0, int((min(deadlines) - time.monotonic()) * 1000) + 1))

    def _keep_time(self):
        now = time.monotonic()
        if self._guest:
            self._guest.keep_time(now)
        if self._kill_at is not None and now >= self._kill_at:
            self._kill_at = None
            self._killed = True
            self.kill()
        if self._expire_at is not None and now >= self._expire_at:
            if self._execution_id is None:
                raise _HostGone
            self._expire_at = None
            self._stopped_alone = True
            self._stop_program()

    def kill(self):
        for guest in self._guests.values():
            guest.kill()

    # From the host

    def _on_host_input(self):
        data = os.read(0, _READ_SIZE)
        if not data:
            raise _HostGone
        self._host_input.push(data)

    def _on_host_frame(self, line):
        try:
            marker, body = decode(line, HOST_MARKERS)
        except FrameError:
            # A host wrote it and went away before its end; the next one begins with a new line.
            return
        if marker is EXECUTE:
            self._begin(body, line)
        elif marker is CONFIGURE:
            self._output_limit = body["output_limit_bytes"]
            self._cancel_grace = body["cancel_grace_ms"] / 1000
            guest = self._link(body["language"])
            if guest is not None:
                guest.send(line)
        elif marker is CANCEL:
            self._cancel(body["execution_id"])
            self._to_guest(line)
        elif marker is EXTEND:
            self._extend(body["execution_id"], body["time_limit_ms"] / 1000)
        elif marker is ATTACH:
            self._attach(body["attach_id"], body["idle_limit_ms"] / 1000)
        elif marker is EXIT:
            raise _HostGone

    def _begin(self, body, line):
        self._execution_id = body["execution_id"]
        self._executions += 1
        self._stopped_alone = False
        self._extend(self._execution_id, body["time_limit_ms"] / 1000)
        guest = self._link(body["language"])
        if guest is None:
            self._end([], outcomes.no_interpreter(body["language"]), None)
        else:
            self._guest = guest
            guest.output.begin(self._execution_id, self._output_limit)
            guest.begin(line)

    def _extend(self, execution_id, time_limit):
        """Has the time begin anew after which a program is stopped with no host to do so."""
        if execution_id == self._execution_id:
            self._expire_at = time.monotonic() + time_limit + _HOST_PATIENCE

    def _cancel(self, execution_id):
        if execution_id == self._execution_id and self._guest.withdraw():
            self._end(self._guest.end_run(), outcomes.not_begun(), None)
        elif execution_id == self._execution_id and self._kill_at is None:
            self._kill_at = time.monotonic() + self._cancel_grace
            self._guest.interrupt()

    def _attach(self, attach_id, idle_limit):
        self._attach_id = attach_id
        self._idle_limit = idle_limit
        if self._execution_id is None:
            self._answer_host(self._stopped_alone)
            self._write_frames()
        else:
            self._host_waits = True
            self._stop_program()

    def _stop_program(self):
        cancel = encode(CANCEL, {"execution_id": self._execution_id})
        self._cancel(self._execution_id)
        self._to_guest(cancel)

    def _answer_host(self, interrupted):
        body = {"attach_id": self._attach_id, "executions": self._executions, "interrupted": interrupted}
        self._frames.append(encode(ATTACHED, body))
        self._host_waits = False
        self._renew()

    def _renew(self):
        self._expire_at = None if self._idle_limit is None else time.monotonic() + self._idle_limit

    def _to_guest(self, data):
        if self._guest is not None:
            self._guest.send(data)

    # From a guest: nothing that it says is taken for more than a program's own word.

    def _on_guest_lines(self, guest):
        calls = []
        try:
            lines = guest.receive()
            # What was printed before a call or an outcome has come once that has, and goes out before it.
            self._frames.append(guest.output.drain())
            for line in lines:
                if is_frame(line, TOOL_CALL) or is_frame(line, CALL_GIVEN_UP):
                    calls.append(line)
                elif is_frame(line, READY):
                    guest.on_ready()
                elif guest is self._guest:
                    self._on_guest_report(line)
        except FrameError:
            guest.kill()
        self._write_frames()
        if calls:
            process.write_all(2, b"".join(calls))

    def _on_guest_report(self, line):
        _, report = decode(line, (OUTCOME,))
        if self._execution_id is not None and report.get("execution_id") == self._execution_id:
            self._end(self._guest.end_run(), report, None)

    def _on_output(self, guest, fd):
        self._frames.append(guest.output.read(fd))
        self._write_frames()

    def _write_frames(self):
        frames = b"".join(self._frames)
        self._frames.clear()
        process.write_all(1, frames)

    def _end(self, rest, report, interpreter_end):
        for frame in rest:
            self._frames.append(frame)
            if len(frame) >= _READ_SIZE:
                self._write_frames()
        self._frames.append(encode(OUTCOME, {
            "execution_id": self._execution_id,
            "success": report.get("success"),
            "value": report.get("value"),
            "error": report.get("error"),
            "exit_code": report.get("exit_code"),
            "interpreter_end": interpreter_end,
        }))
        self._execution_id = None
        self._kill_at = None
        self._renew()
        if self._host_waits and interpreter_end is None:
            self._answer_host(True)
        self._write_frames()

    # A guest's end

    def _on_child_event(self):
        os.read(self._child_events, 4096)
        status = process.reap({guest.pid for guest in self._guests.values()})
        if status is None:
            return
        if self._execution_id is not None:
            end = process.describe_end(status, self._killed, self._memory_kills)
            self._frames.append(self._guest.output.drain())
            self._end(self._guest.end_run(), outcomes.interpreter_ended(end), end)
        raise _GuestGone


def main(arguments):
    """Runs until the host or a guest is gone."""
    supervisor = Supervisor(read_interpreters(arguments))
    status = 0
    try:
        # After the fork: the guest, which a debugger may look at, loads its modules meanwhile.
        process.make_undumpable()
        supervisor.run()
    except (_HostGone, _GuestGone, BrokenPipeError):
        pass
    except BaseException as error:
        # Whatever it is, the host hears of it: it reads any line that is no frame as the end.
        status = 1
        process.write_all(2, f"the supervisor failed: {error!r}\n".encode())
    finally:
        supervisor.kill()
        os._exit(status)

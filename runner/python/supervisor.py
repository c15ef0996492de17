"""Process 1 of a sandbox: between the host and the guest interpreter.

It alone holds the real streams and writes outcome frames, and it runs no program. So an outcome,
an exit status and a stream's name are facts, a runaway guest can be stopped from beside it, and its
death is told by somebody who outlived it.
"""

import os
import select
import sys
import time

from . import process
from .frames import (
    ATTACH, ATTACHED, CALL_GIVEN_UP, CANCEL, CONFIGURE, EXECUTE, EXIT, EXTEND, HOST_MARKERS, OUTCOME,
    PROTOCOL_VERSION, READY, TOOL_CALL, FrameError, LineSplitter, decode, encode, is_frame,
)
from .guest_output import GuestOutput
from .host_input import HostInput

# What a pipe holds.
_READ_SIZE = 1 << 16
# A call's frame that is longer is not the work of the guest's own code for calls.
_MAX_CALL_BYTES = 64_000_000
# So much longer than its limit a program may run until it is stopped with no host to do so.
_HOST_PATIENCE = 5.0
# `poll` counts in 32 bits.
_LONGEST_WAIT_MS = 2_000_000_000
# While the guest takes nothing in, so much is held for it before the host's input waits.
_MAX_UNTAKEN_BYTES = 16_000_000


class _HostGone(Exception):
    """The host closed its end or asked for the end, or none came in time."""


class _GuestGone(Exception):
    """The guest ended; its end has been told."""


class Supervisor:
    """Serves one host and one guest until either is gone."""

    def __init__(self, guest):
        self._guest = guest
        # Frames to be written to the host together.
        self._frames = []
        self._host_input = HostInput(self._on_host_frame, self._to_guest)
        self._guest_lines = LineSplitter(_MAX_CALL_BYTES)
        self._untaken = bytearray()
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
        self._handlers = {
            0: self._on_host_input,
            guest.control_read: self._on_guest_lines,
            guest.control_write: self._push_to_guest,
            guest.stdout: lambda: self._on_output(guest.stdout),
            guest.stderr: lambda: self._on_output(guest.stderr),
            guest.child_events: self._on_child_event,
        }
        self._poll = select.poll()
        for fd in self._handlers:
            self._poll.register(fd, 0 if fd == guest.control_write else select.POLLIN)
        self._output = GuestOutput(guest.stdout, guest.stderr, self._poll)

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
        deadlines = [at for at in (self._kill_at, self._output.look_at, self._expire_at) if at is not None]
        if not deadlines:
            return None
        return min(_LONGEST_WAIT_MS, max(0, int((min(deadlines) - time.monotonic()) * 1000) + 1))

    def _keep_time(self):
        now = time.monotonic()
        if self._output.look_at is not None and now >= self._output.look_at:
            self._output.watch()
        if self._kill_at is not None and now >= self._kill_at:
            self._kill_at = None
            self._killed = True
            self._guest.kill()
        if self._expire_at is not None and now >= self._expire_at:
            if self._execution_id is None:
                raise _HostGone
            self._expire_at = None
            self._stopped_alone = True
            self._stop_program()

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
            self._begin(body["execution_id"], body["time_limit_ms"] / 1000)
            self._to_guest(line)
        elif marker is CONFIGURE:
            self._output_limit = body["output_limit_bytes"]
            self._cancel_grace = body["cancel_grace_ms"] / 1000
            self._to_guest(line)
        elif marker is CANCEL:
            self._cancel(body["execution_id"])
            self._to_guest(line)
        elif marker is EXTEND:
            self._extend(body["execution_id"], body["time_limit_ms"] / 1000)
        elif marker is ATTACH:
            self._attach(body["attach_id"], body["idle_limit_ms"] / 1000)
        elif marker is EXIT:
            raise _HostGone

    def _begin(self, execution_id, time_limit):
        self._execution_id = execution_id
        self._executions += 1
        self._stopped_alone = False
        self._extend(execution_id, time_limit)
        self._output.begin(execution_id, self._output_limit)

    def _extend(self, execution_id, time_limit):
        """Has the time begin anew after which a program is stopped with no host to do so."""
        if execution_id == self._execution_id:
            self._expire_at = time.monotonic() + time_limit + _HOST_PATIENCE

    def _cancel(self, execution_id):
        if execution_id == self._execution_id and self._kill_at is None:
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
        self._cancel(self._execution_id)
        self._to_guest(encode(CANCEL, {"execution_id": self._execution_id}))

    def _answer_host(self, interrupted):
        body = {"attach_id": self._attach_id, "executions": self._executions, "interrupted": interrupted}
        self._frames.append(encode(ATTACHED, body))
        self._host_waits = False
        self._renew()

    def _renew(self):
        self._expire_at = None if self._idle_limit is None else time.monotonic() + self._idle_limit

    # To the guest: never blocks, for the guest may be writing to us at the same moment.

    def _to_guest(self, data):
        if not self._untaken:
            data = data[process.write_some(self._guest.control_write, data) :]
        if data:
            self._untaken += data
            self._watch_guest()

    def _push_to_guest(self):
        del self._untaken[: process.write_some(self._guest.control_write, self._untaken)]
        self._watch_guest()

    def _watch_guest(self):
        self._poll.register(self._guest.control_write, select.POLLOUT if self._untaken else 0)
        self._poll.modify(0, select.POLLIN if len(self._untaken) < _MAX_UNTAKEN_BYTES else 0)

    # From the guest: nothing that it says is taken for more than a program's own word.

    def _on_guest_lines(self):
        data = os.read(self._guest.control_read, _READ_SIZE)
        # What was printed before a call or an outcome goes out before it.
        self._frames.append(self._output.drain())
        calls = []
        try:
            for line in self._guest_lines.push(data):
                if is_frame(line, TOOL_CALL) or is_frame(line, CALL_GIVEN_UP):
                    calls.append(line)
                else:
                    self._on_guest_report(line)
        except FrameError:
            self._guest.kill()
        self._write_frames()
        if calls:
            process.write_all(2, b"".join(calls))

    def _on_guest_report(self, line):
        _, report = decode(line, (OUTCOME,))
        if self._execution_id is not None and report.get("execution_id") == self._execution_id:
            self._end(report, None)

    def _on_output(self, fd):
        self._frames.append(self._output.read(fd))
        self._write_frames()

    def _write_frames(self):
        frames = b"".join(self._frames)
        self._frames.clear()
        process.write_all(1, frames)

    def _end(self, report, interpreter_end):
        for frame in self._output.end():
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

    # The guest's end

    def _on_child_event(self):
        os.read(self._guest.child_events, 4096)
        status = self._guest.reap()
        if status is None:
            return
        if self._execution_id is not None:
            end = process.describe_end(status, self._killed, self._memory_kills)
            error = {"type": "InterpreterEnded", "message": _MESSAGES[end["reason"]] % end["status"], "line": None}
            error["traceback"] = f"{error['type']}: {error['message']}"
            self._frames.append(self._output.drain())
            self._end({"success": False, "error": error, "exit_code": 1}, end)
            self._write_frames()
        raise _GuestGone


_MESSAGES = {
    "exit": "the program ended its interpreter with status %d, and the session's state with it",
    "signal": "the interpreter was ended by signal %d, and the session's state with it",
    "memory": "the program needed more memory than the sandbox has (signal %d); the session's state is lost",
    "killed": "the program did not stop when it was interrupted, so it was ended (signal %d); the session's state is lost",
}


def main():
    guest = process.GuestProcess()
    status = 0
    try:
        # After the fork: the guest, which a debugger may look at, loads its modules meanwhile.
        process.make_undumpable()
        Supervisor(guest).run()
    except (_HostGone, _GuestGone, BrokenPipeError):
        pass
    except BaseException as error:
        # Whatever it is, the host hears of it: it reads any line that is no frame as the end.
        status = 1
        process.write_all(2, f"the supervisor failed: {error!r}\n".encode())
    finally:
        guest.kill()
        os._exit(status)

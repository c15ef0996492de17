"""The interpreter that runs programs. It takes one message after another and keeps the state between."""

import builtins
import os
import sys
from types import CoroutineType

from . import failures, program
from .forgotten import ForgottenAwaits
from .frames import CANCEL, CONFIGURE, EXECUTE, HOST_MARKERS, OUTCOME, TOOL_RESULT, FrameError, decode, encode
from .interrupts import Interrupts
from .tool_calls import ToolCalls, ToolError, make_function, plain
from .waiting import Waiting

_MAX_VALUE_LENGTH = 1 << 18
# Pyodide has one of its own.
_PLAIN_HOOK = sys.excepthook


class Guest:
    """
    Runs programs that come over `channel`; `prepare` readies the process for the next of them. `program_file` is their
    `__file__`.
    """

    def __init__(self, channel, prepare, program_file):
        self._channel = channel
        self._prepare = prepare
        self._namespace = program.Namespace(program_file)
        self._waiting = Waiting(channel)
        self._calls = ToolCalls(channel, self._waiting)
        self._forgotten = ForgottenAwaits()
        self.interrupts = Interrupts({channel.wait.__code__, Guest._evaluate.__code__})
        self._process = os.getpid()
        self._runs = 0
        self._execution_id = None
        # The frame of what the program under way hands back; None if nothing.
        self._value = None
        channel.on_line = self._on_line
        builtins.input = _make_input(builtins.input)
        builtins.ToolError = ToolError
        builtins.display = display
        builtins.submit = self._make_submit()

    def serve(self):
        """Takes messages until the channel ends."""
        while True:
            try:
                line = self._channel.receive()
                if line is None:
                    return
                if line:
                    self._on_line(line)
            except KeyboardInterrupt:
                # An interrupt that came too late for its program.
                pass

    def _on_line(self, line):
        try:
            marker, body = decode(line, HOST_MARKERS)
        except FrameError:
            # A tool's result that a host did not live to write to its end.
            return
        if marker is TOOL_RESULT:
            self._calls.deliver(body)
        elif marker is EXECUTE:
            self._execute(body["execution_id"], body["code"])
        elif marker is CANCEL:
            # It follows its interrupt: one that came after the program's end is for no other.
            self.interrupts.forget()
        elif marker is CONFIGURE:
            self._calls.bounds.configure(body)
            for tool in body["tools"]:
                self._namespace.variables[tool["identifier"]] = make_function(self._calls, tool)

    def _execute(self, execution_id, code):
        self._runs += 1
        self._execution_id = execution_id
        self._value = None
        self._calls.start(execution_id)
        report = self._run(code, f"{failures.PROGRAM_FILE_PREFIX}{self._runs}>")
        if os.getpid() != self._process:
            # A copy that the program forked and that came to the program's end.
            os._exit(report["exit_code"])
        outcome = encode(OUTCOME, {"execution_id": execution_id, **report})
        self._channel.send(outcome if self._value is None else self._value + outcome)
        # For the next one, while nobody waits.
        self._prepare()

    def _run(self, code, filename):
        """Runs a program to its end, whatever that is, and tells how it went."""
        report = {"success": True, "value": None, "error": None, "exit_code": 0}
        try:
            self.interrupts.begin()
            try:
                report["value"] = self._evaluate(code, filename)
            except Exception as error:
                _call_hook(error)
                raise
            self.interrupts.wanted = False
        except BaseException as error:
            # First of all: an interrupt that came up here would leave the run without a report.
            self.interrupts.wanted = False
            report.update(_failure_report(error, filename))
        self._finish()
        return report

    def _evaluate(self, code, filename):
        """Runs a program and shows its last value as a prompt would."""
        self._waiting.begin(code)
        variables = self._namespace.variables
        parts = self._namespace.compile(code, filename)
        if program.waits(parts):
            value = self._waiting.run(program.run_waiting(parts, variables))
        else:
            value = self._waiting.call(program.run, parts, variables)
        if value is None or isinstance(value, (CoroutineType, _Nothing)):
            return None
        shown = _show(value)
        if self._value is None:
            try:
                self._value = self._encode(value)
            except Exception:
                # Not every last expression is there to be handed back.
                pass
        return shown

    def _encode(self, value):
        # Not every program hands something back.
        from .values import encode_value

        return encode_value(self._execution_id, value, self._calls.bounds, plain)

    def _make_submit(self):
        def submit(value, /):
            """Hands `value`, which must be JSON, back to whoever had the program run. The last call counts."""
            from .values import Unfit

            if os.getpid() != self._process:
                raise RuntimeError("submit() works in the program itself, not in a process that it started; return the value")
            try:
                self._value = self._encode(value)
            except Unfit as unfit:
                raise ValueError(f"submit() cannot hand this back: {unfit}") from None
            return _Nothing()

        submit.__qualname__ = "submit"
        submit.__module__ = "builtins"
        return submit

    def _finish(self):
        """Ends what the program left behind, says so, and pushes out what it printed."""
        cancelled = self._waiting.end()
        warnings = self._forgotten.report(self._namespace.variables)
        if cancelled:
            warnings.append(f"background tasks cancelled because the program ended before them: {cancelled}")
        threads = _count_threads()
        if threads:
            warnings.append(
                f"threads stopped because the program ended before them: {threads}; they go on with the session's next program"
            )
        for stream, first in ((sys.stdout, sys.__stdout__), (sys.stderr, sys.__stderr__)):
            try:
                if stream is not first:
                    # It may hold text of before the program put another in its place.
                    first.flush()
            except Exception:
                pass
            try:
                for warning in warnings if stream is sys.stderr else ():
                    print(f"Warning: {warning}", file=stream)
                stream.flush()
            except Exception:
                # A stream that the program closed or replaced is its own affair.
                pass


def display(*values):
    """Shows values as the last one of a program is shown. Programs for notebooks expect it."""
    for value in values:
        print(_show(value))


class _Nothing:
    """What `submit` returns. A program may await it, as it does its tools."""

    def __await__(self):
        return iter(())

    def __repr__(self):
        return "None"


def _show(value):
    return failures.shorten(repr(value), _MAX_VALUE_LENGTH)


def _call_hook(error):
    """Calls the hook that a program has set for errors which nothing catches. It gets the program's part of the traceback."""
    hook = getattr(sys, "excepthook", None)
    if hook in (None, sys.__excepthook__, _PLAIN_HOOK):
        return
    position = error.__traceback__
    while position is not None and not position.tb_frame.f_code.co_filename.startswith(failures.PROGRAM_FILE_PREFIX):
        position = position.tb_next
    try:
        hook(type(error), error.with_traceback(position), position)
    except Exception as own:
        print(f"Error in sys.excepthook: {type(own).__name__}: {own}", file=sys.stderr)


def _count_threads():
    """How many threads the program left, of which nothing was said yet."""
    threading = sys.modules.get("threading")
    try:
        if threading is None or len(threading._active) < 2:
            return 0
        # Seldom needed.
        from .left_threads import count_left

        return count_left()
    except Exception:
        # A program may have taken `threading` apart.
        return 0


def _failure_report(error, filename):
    """How an error ends a program, whatever the error does to whoever looks at it."""
    try:
        return _read_failure(error, filename)
    except BaseException:
        return {"success": False, "exit_code": 1, "error": failures.describe_unreadable(error)}


def _read_failure(error, filename):
    """`sys.exit(…)` is an error like others: 0 and None are a success, text goes to stderr."""
    if not isinstance(error, SystemExit):
        return {"success": False, "exit_code": 1, "error": failures.describe(error, filename)}
    code = error.code
    exit_code = 1
    if code is None:
        return {}
    if isinstance(code, int):
        # Not `code & 0xFF`, which its class may have taken over.
        exit_code = int.__and__(code, 0xFF)
        if exit_code == 0:
            return {}
    else:
        print(code, file=sys.stderr)
    return {"success": False, "exit_code": exit_code, "error": failures.describe(error, filename)}


def _make_input(plain_input):
    def input(prompt="", /):
        if sys.stdin is sys.__stdin__:
            raise EOFError("input() cannot be used here: no person is at this program's keyboard")
        # The program put prepared lines in its place.
        return plain_input(prompt)

    return input

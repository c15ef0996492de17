"""The guest for Python. It handles one message after another, and keeps the state between programs."""

import builtins
import os
import sys
from types import CoroutineType

from ..shared.frames import CANCEL, CONFIGURE, EXECUTE, HOST_MARKERS, OUTCOME, REPORT, TOOL_RESULT, FrameError, decode, encode
from .calls.signatures import Signatures
from .calls.tool_calls import ToolCalls, ToolError, plain
from .calls.tool_names import ToolNames
from .concurrency.waiting import Waiting
from .first_imports import on_first_import
from .handlers import Handlers
from .interrupts import Interrupts, stop_alarms
from .leftovers import OpenFiles, count_threads, reap_children
from .program import failures, program, shown_images
from .program.forgotten import ForgottenAwaits
from .recursion import leave_out_own_depth
from .streams import finish_streams

_MAX_VALUE_LENGTH = 1 << 18


class Guest:
    """Runs the programs that arrive by `channel`. `prepare` readies the process for the next program. `program_file`
    is the `__file__` of programs.
    """

    def __init__(self, channel, prepare, program_file):
        self._channel = channel
        self._prepare = prepare
        self._namespace = program.Namespace(program_file)
        self._waiting = Waiting(channel)
        self._calls = ToolCalls(channel, self._waiting)
        self._tool_names = ToolNames(self._namespace.variables, self._calls, Signatures())
        self._forgotten = ForgottenAwaits()
        self._images = shown_images.ShownImages(channel, self._calls.bounds)
        # Whether the host wants to know when the program reports something.
        self._tells_reports = False
        self.interrupts = Interrupts({channel.wait.__code__, Guest._evaluate.__code__})
        self.open_files = OpenFiles()
        self._handlers = Handlers(self.interrupts.handler)
        self._process = os.getpid()
        self._runs = 0
        self._execution_id = None
        # The frame with the value that the current program hands back; None if there is none yet.
        self._value = None
        channel.on_line = self._on_line
        builtins.input = _make_input(builtins.input)
        builtins.ToolError = ToolError
        builtins.display = display
        builtins.submit = self._make_submit()
        builtins.show = self._make_show()
        builtins.report = self._make_report()
        leave_out_own_depth()
        on_first_import("matplotlib.pyplot", lambda: shown_images.adapt_pyplot(builtins.show))

    def serve(self):
        """Handles messages until the channel ends."""
        while self._serve_next():
            pass

    def _serve_next(self):
        """Handles the next message. Returns False if the channel has ended."""
        try:
            line = self._channel.receive()
            if line is None:
                return False
            if line:
                self._on_line(line)
        except KeyboardInterrupt:
            # An interrupt that came after the end of its program.
            pass
        return True

    def _on_line(self, line):
        try:
            marker, body = decode(line, HOST_MARKERS)
        except FrameError:
            # The result of a tool that an earlier host had not written to its end.
            return
        if marker is TOOL_RESULT:
            self._calls.deliver(body)
        elif marker is EXECUTE:
            self._execute(body)
        elif marker is CANCEL:
            # Follows the interrupt. If the interrupt came after the program's end, it must not stop the next program.
            self.interrupts.forget()
        elif marker is CONFIGURE:
            self._calls.bounds.configure(body)
            self._tool_names.configure(body["tools"])

    def _execute(self, body):
        reap_children()
        self._runs += 1
        self._execution_id = execution_id = body["execution_id"]
        self._value = None
        filename = f"{failures.PROGRAM_FILE_PREFIX}{self._runs}>"
        self._calls.start(execution_id, "tell_waiting" in body, filename if "tell_lines" in body else None)
        self._images.start(execution_id)
        self._tells_reports = "tell_reports" in body
        report = self._run(body["code"], filename)
        if os.getpid() != self._process:
            # A copy of the process, which the program forked, has reached the end of the program.
            failures.end_copy(report)
        outcome = encode(OUTCOME, {"execution_id": execution_id, **report})
        self._channel.send(outcome if self._value is None else self._value + outcome)
        # Prepares the next program now, while nobody waits.
        self._prepare()

    def _run(self, code, filename):
        """Runs a program to its end, however it ends, and returns the report."""
        report = {"success": True, "value": None, "error": None, "exit_code": 0}
        try:
            self.interrupts.begin()
            try:
                value = self._evaluate(code, filename)
            except Exception as error:
                failures.call_hook(error)
                raise
            finally:
                self.interrupts.wanted = False
                self._handlers.hold()
            report["value"] = value
        except BaseException as error:
            # Again, because an interrupt or a signal handler may have raised at the last moment. This comes first: what was
            # raised here would end the program without a report.
            self.interrupts.wanted = False
            self._handlers.hold()
            report.update(failures.report(error, filename))
            self._forgotten.look_into(error)
        self._finish(filename)
        return report

    def _evaluate(self, code, filename):
        """Runs a program, and returns its last value as a Python prompt would show it."""
        self._waiting.begin(code)
        variables = self._namespace.variables
        parts = self._namespace.compile(code, filename)
        self._tool_names.use(parts)
        self._handlers.release()
        try:
            if program.waits(parts):
                value = self._waiting.run(program.run_waiting(parts, variables))
            else:
                value = self._waiting.call(program.run, parts, variables)
        finally:
            self.interrupts.end_tracing()
        if value is None or isinstance(value, (CoroutineType, _AwaitableNone)):
            return None
        if shown_images.is_figure(value):
            self._images.show(value)
            return None
        shown = _show(value)
        if self._value is None:
            try:
                self._value = self._encode(value)
            except Exception:
                # Programs may end with an expression that is not meant to be handed back.
                pass
        return shown

    def _encode(self, value):
        # Imported here, because many programs hand back nothing.
        from .program.values import encode_value

        return encode_value(self._execution_id, value, self._calls.bounds, plain)

    def _make_submit(self):
        def submit(value, /):
            """Hands `value`, which must be JSON, back to the caller of the program. The last call counts."""
            from .program.values import Unfit

            self._check_process("submit")
            try:
                self._value = self._encode(value)
            except Unfit as unfit:
                raise ValueError(f"submit() cannot hand this back: {unfit}") from None
            return _AwaitableNone()

        submit.__qualname__ = "submit"
        submit.__module__ = "builtins"
        return submit

    def _make_show(self):
        def show(image, /):
            """Shows an image to the model: a matplotlib figure, a PIL image, or the path or bytes of an image file."""
            self._check_process("show")
            self._images.show(image)
            return _AwaitableNone()

        show.__qualname__ = "show"
        show.__module__ = "builtins"
        return show

    def _make_report(self):
        def report(text, /):
            """Prints `text`, and shows it to the model at once, if the model is asked while the program goes on."""
            # Not the stream that the program may have put in its place: the model must see it.
            print(text, file=sys.__stdout__, flush=True)
            if self._tells_reports and os.getpid() == self._process:
                self._channel.send(encode(REPORT, {"execution_id": self._execution_id}))
            return _AwaitableNone()

        report.__qualname__ = "report"
        report.__module__ = "builtins"
        return report

    def _check_process(self, name):
        if os.getpid() != self._process:
            raise RuntimeError(f"{name}() works in the program itself, not in a process that it started; return the value")

    def _finish(self, filename):
        """Ends what the program left, prints warnings about that, and writes what is in the buffers of its files and streams."""
        alarms = stop_alarms()
        tasks, callbacks = self._waiting.end()
        warnings = self._forgotten.report(self._namespace.variables, filename)
        if alarms:
            warnings.append(f"alarms stopped because the program ended before them: {alarms}")
        dropped = self._handlers.take_dropped()
        if dropped:
            warnings.append(f"exceptions of signal handlers dropped because the program had ended: {dropped}")
        if tasks:
            warnings.append(f"background tasks cancelled because the program ended before them: {tasks}")
        if callbacks:
            warnings.append(f"callbacks of the event loop cancelled because the program ended before them: {callbacks}")
        threads = count_threads()
        if threads:
            warnings.append(
                f"threads stopped because the program ended before them: {threads}; they go on with the session's next program"
            )
        warnings += self.open_files.finish()
        # The program itself prints them too, after the end of a copy that it forked.
        finish_streams(warnings if os.getpid() == self._process else ())
        # Tasks and streams of the program may have installed others.
        self._handlers.hold()


def display(*values):
    """Shows values in the same way as the last value of a program. Programs for notebooks expect this function."""
    for value in values:
        print(_show(value))


class _AwaitableNone:
    """The return value of `submit`, `show` and `report`. Programs may await it, as they await tools."""

    def __await__(self):
        return iter(())

    def __repr__(self):
        return "None"


def _show(value):
    return failures.shorten(repr(value), _MAX_VALUE_LENGTH)


def _make_input(plain_input):
    def input(prompt="", /):
        # A program may also have deleted the stream.
        if getattr(sys, "stdin", None) is sys.__stdin__:
            raise EOFError("input() cannot be used here: no person is at this program's keyboard; assign the text in the program")
        # The program has replaced the stream by prepared input.
        return plain_input(prompt)

    return input

"""The guest for bash. It exchanges messages with the supervisor, and a shell, its child, runs the programs."""

import os

import _signal as signal

from ..shared.frames import (
    CANCEL,
    CONFIGURE,
    EXECUTE,
    HOST_MARKERS,
    OUTCOME,
    READY,
    TOOL_RESULT,
    FrameError,
    LineSplitter,
    decode,
    encode,
)
from ..shared.processes import adopt_orphans, descendants, send
from . import shell_failures
from .builtin_calls import BuiltinCalls
from .calls import ToolCalls
from .loop import READ_SIZE, Loop
from .shell import Shell

_MESSAGES_IN = 3
_MESSAGES_OUT = 4
_STDERR_OF_PROGRAMS = 6
# How often to look for new processes of an interrupted program.
_INTERRUPT_EVERY_MS = 50


class ShellGuest:
    """Handles messages until the supervisor is gone, or the state of the programs is lost."""

    def __init__(self, scripts):
        self._loop = Loop()
        self._splitter = LineSplitter()
        self._calls = ToolCalls(self._loop, _send)
        self._builtin_calls = BuiltinCalls()
        self._shell = Shell(self._loop, scripts, self._on_shell_line)
        self._execution_id = None
        self._code = ""
        # The processes that were interrupted; None if no interrupt was requested.
        self._interrupted = None
        child_events = _watch_children()
        self._loop.watch(child_events, lambda: self._on_child_event(child_events))
        self._loop.watch(_MESSAGES_IN, self._on_messages)

    def serve(self):
        self._shell.start()
        self._shell.set_tools([])
        _send(encode(READY, {"shell": self._shell.pid}))
        while True:
            self._loop.turn(None if self._interrupted is None else _INTERRUPT_EVERY_MS)
            if self._interrupted is not None:
                self._interrupt()

    # From the supervisor

    def _on_messages(self):
        data = os.read(_MESSAGES_IN, READ_SIZE)
        if not data:
            os._exit(0)
        for line in self._splitter.push(data):
            try:
                self._on_message(*decode(line, HOST_MARKERS))
            except FrameError:
                # The result of a tool that an earlier host had not written to its end.
                pass

    def _on_message(self, marker, body):
        if marker is TOOL_RESULT:
            self._calls.deliver(body)
        elif marker is EXECUTE:
            self._execution_id = body["execution_id"]
            self._code = body["code"]
            lines_of = self._code if "tell_lines" in body else None
            self._calls.start(self._execution_id, "tell_waiting" in body, "tell_reports" in body, lines_of)
            warnings = self._builtin_calls.warnings(self._code)
            if warnings:
                os.write(_STDERR_OF_PROGRAMS, warnings.encode())
            self._shell.run(self._code)
        elif marker is CANCEL:
            # The signal before this message does not say which program it is for.
            if body["execution_id"] == self._execution_id:
                self._interrupted = set()
                # Before the next message, which may be the result that the program waits for.
                self._interrupt()
        elif marker is CONFIGURE:
            self._calls.configure(body)
            self._builtin_calls.configure(body["tools"])
            self._shell.set_tools([tool["identifier"] for tool in body["tools"]])

    def _interrupt(self):
        """Interrupts first the shell, then the processes that it waits for, as a terminal does, so that it does not
        continue.
        """
        if self._shell.is_running:
            for pid in (self._shell.pid, *descendants()):
                if pid not in self._interrupted:
                    self._interrupted.add(pid)
                    send(pid, signal.SIGINT)

    # From the shell and from processes of the program, which can forge each of these messages.

    def _on_shell_line(self, words):
        try:
            verb, pid, *numbers = words
            if verb == "call" and self._execution_id is not None:
                self._calls.open(int(pid), *map(int, numbers))
            elif int(pid) != self._shell.pid:
                # From a shell that has ended.
                pass
            elif verb == "began":
                self._shell.is_running = True
            elif verb == "done":
                self._shell.is_running = False
                self._finish(int(numbers[0]))
        except (ValueError, TypeError, IndexError):
            pass

    def _on_child_event(self, child_events):
        os.read(child_events, READ_SIZE)
        self._reap()

    def _reap(self):
        """Reaps ended children, including the shell and adopted orphans."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self._shell.pid:
                self._on_shell_end(status)

    def _on_shell_end(self, status):
        self._shell.read_messages()
        # A shell that ended before it began a program cannot report how the program ended.
        is_unreported = self._execution_id is not None and not self._shell.is_running
        if is_unreported or not self._shell.has_left_state():
            _end_like(status)
        try:
            self._shell.start()
        except BlockingIOError:
            # The program's processes have reached the limit. The shell is started for the next program.
            pass
        self._finish(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))

    def _finish(self, status):
        """Ends the current program and reports it. The supervisor ends the processes that it left."""
        if self._execution_id is None:
            return
        execution_id, self._execution_id = self._execution_id, None
        was_interrupted = self._interrupted is not None
        self._interrupted = None
        self._calls.end()
        error = None
        if was_interrupted:
            error = shell_failures.interrupted()
        elif status != 0:
            is_suspect = status == shell_failures.SYNTAX_ERROR_STATUS
            complaint = self._shell.find_syntax_error(self._code) if is_suspect else ""
            error = shell_failures.describe(status, complaint)
        _send(
            self._calls.value
            + encode(
                OUTCOME,
                {
                    "execution_id": execution_id,
                    "success": error is None,
                    "value": None,
                    "error": error,
                    "exit_code": status if error is None else status or 1,
                    "shell": self._shell.pid,
                },
            )
        )


def main(arguments):
    """Runs programs until the supervisor is gone. The arguments are the names and texts of the shell scripts; if the
    sandbox has a file for the tools' names, its path follows as `command`.
    """
    for fd in range(3, 7):
        os.set_inheritable(fd, False)
    # The message `CANCEL` says the same and names the program.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    adopt_orphans()
    ShellGuest(dict(zip(arguments[::2], arguments[1::2]))).serve()


def _watch_children():
    """Returns a descriptor that can be read whenever a child has ended."""
    read_fd, write_fd = os.pipe()
    for fd in (read_fd, write_fd):
        os.set_blocking(fd, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(write_fd, warn_on_full_buffer=False)
    return read_fd


def _send(frame):
    view = memoryview(frame)
    while view:
        view = view[os.write(_MESSAGES_OUT, view) :]


def _end_like(status):
    """Ends this process as the shell ended: the session's state is lost with the shell."""
    if os.WIFEXITED(status):
        os._exit(os.WEXITSTATUS(status))
    number = os.WTERMSIG(status)
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)

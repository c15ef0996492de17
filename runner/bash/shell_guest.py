"""The guest that runs programs in bash. It speaks with the supervisor; a shell of its own runs them."""

import os

import _signal as signal

from . import shell_failures
from .calls import ToolCalls
from .frames import (
    CANCEL, CONFIGURE, EXECUTE, HOST_MARKERS, OUTCOME, READY, TOOL_RESULT, FrameError, LineSplitter, decode, encode,
)
from .loop import READ_SIZE, Loop
from .processes import adopt_orphans, descendants, send
from .shell import Shell

_MESSAGES_IN = 3
_MESSAGES_OUT = 4
# So often an interrupted program's new processes are looked for.
_INTERRUPT_EVERY_MS = 50


class ShellGuest:
    """Takes one message after another until the supervisor is gone, or the state of the programs is."""

    def __init__(self, scripts):
        self._loop = Loop()
        self._splitter = LineSplitter()
        self._calls = ToolCalls(self._loop, _send)
        self._shell = Shell(self._loop, scripts, self._on_shell_line)
        self._execution_id = None
        self._code = ""
        # The processes that have been interrupted; None where that was not asked for.
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
                # A tool's result that a host did not live to write to its end.
                pass

    def _on_message(self, marker, body):
        if marker is TOOL_RESULT:
            self._calls.deliver(body)
        elif marker is EXECUTE:
            self._execution_id = body["execution_id"]
            self._code = body["code"]
            self._calls.start(self._execution_id)
            self._shell.run(self._code)
        elif marker is CANCEL:
            # The signal that came before it does not say for which program it is.
            if body["execution_id"] == self._execution_id:
                self._interrupted = set()
                # Before the next message, which may be the result that the program waits for.
                self._interrupt()
        elif marker is CONFIGURE:
            self._calls.configure(body)
            self._shell.set_tools([tool["identifier"] for tool in body["tools"]])

    def _interrupt(self):
        """As a terminal does it: the shell, then what it waits for, so that it does not go on in between."""
        if self._shell.is_running:
            for pid in (self._shell.pid, *descendants()):
                if pid not in self._interrupted:
                    self._interrupted.add(pid)
                    send(pid, signal.SIGINT)

    # From the shell and the program's processes, of which each could say what it likes

    def _on_shell_line(self, words):
        try:
            verb, pid, *numbers = words
            if verb == "call" and self._execution_id is not None:
                self._calls.open(int(pid), *map(int, numbers))
            elif int(pid) != self._shell.pid:
                # Of a shell that has ended since.
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
        """Collects ended children, among them the shell and those that lost their parents."""
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
        self._shell.hear()
        # A shell that ended before it began a program cannot say how that one ended.
        is_unheard = self._execution_id is not None and not self._shell.is_running
        if is_unheard or not self._shell.has_left_state():
            _end_like(status)
        try:
            self._shell.start()
        except BlockingIOError:
            # The program's own processes are as many as there may be. The next one will need it.
            pass
        self._finish(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))

    def _finish(self, status):
        """Ends the program under way and reports it. What it left behind is the supervisor's to end."""
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
        _send(self._calls.value + encode(OUTCOME, {
            "execution_id": execution_id,
            "success": error is None,
            "value": None,
            "error": error,
            "exit_code": status if error is None else status or 1,
            "shell": self._shell.pid,
        }))


def main(scripts):
    """Runs programs until the supervisor is gone."""
    for fd in range(3, 7):
        os.set_inheritable(fd, False)
    # What it asks for, `CANCEL` says more exactly.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    adopt_orphans()
    ShellGuest(scripts).serve()


def _watch_children():
    """A descriptor that has something to read whenever a child ended."""
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
    """The shell took the session's state with it: this is the end of the interpreter, and it ended so."""
    if os.WIFEXITED(status):
        os._exit(os.WEXITSTATUS(status))
    number = os.WTERMSIG(status)
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)

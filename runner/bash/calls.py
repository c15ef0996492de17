"""
Tools as commands: a process of the program asks, the host runs the tool, and the process gets the text to print.
`submit` and `report` are commands too, and are handled here.
"""

import itertools
import os

import _json

from ..guest.calls.call_bounds import CallBounds
from ..guest.program.values import Unfit, encode_value
from ..shared import lean_json
from ..shared.frames import CALL_GIVEN_UP, REPORT, TOOL_CALL, WAITING, encode, refuse
from .arguments import ArgumentsError, parse_arguments, parse_value
from .loop import READ_SIZE, Writer

# The host sends documentation to sessions whose programs contain this word.
_HOW_TO_ASK = "to read the documentation of a tool, write --help in full in the program"
# No tool has these names as commands.
SUBMIT = "submit"
REPORTED = "report"


class ToolCalls:
    """The current calls, each with the process that waits for it."""

    def __init__(self, loop, send):
        self._loop = loop
        self._send = send
        self._tools = {}
        self._calls = {}
        self._ids = itertools.count(1)
        self._execution_id = None
        self._bounds = CallBounds()
        # The frame with the value that the current program hands back; empty if there is none.
        self.value = b""
        # Whether the host wants to know when the program waits, and how many results have arrived.
        self._tells_waiting = False
        # Whether it wants to know when the program reports something.
        self._tells_reports = False
        # The text of the program if it wants to know which lines make calls, and what finds them, from the first call.
        self._lines_of = None
        self._lines = None
        self._results = 0

    def configure(self, settings):
        self._tools = {tool["identifier"]: tool for tool in settings["tools"]}
        self._bounds.configure(settings)

    def start(self, execution_id, tells_waiting, tells_reports, lines_of):
        """Begins a program. `lines_of` is its text if the host wants to know its lines that make calls."""
        self._execution_id = execution_id
        self._tells_waiting = tells_waiting
        self._tells_reports = tells_reports
        self._lines_of = lines_of
        self._lines = None
        self._results = 0
        self.value = b""

    def end(self):
        """Ends a program. Processes that still wait have ended, or are about to."""
        self._execution_id = None
        for call in list(self._calls.values()):
            call.close()

    def open(self, pid, request, reply):
        """Accepts a call from a process, which names two of its descriptors. If they are wrong, the call is ignored."""
        try:
            request = os.open(f"/proc/{pid}/fd/{request}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return
        try:
            reply = os.open(f"/proc/{pid}/fd/{reply}", os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            os.close(request)
            return
        call_id = str(next(self._ids))
        self._calls[call_id] = _Call(self, self._loop, call_id, request, reply)

    def deliver(self, body):
        """Passes a result to the process that waits for it."""
        self._results += 1
        call = self._calls.get(body["call_id"])
        if call is not None:
            error = body["error"]
            if error is None:
                call.answer(0, _to_text(body["result"]))
            else:
                call.fail(error["type"], error["message"])
        self._tell_waiting()

    def _tell_waiting(self):
        """Says that the program may wait: nobody can tell what a shell and its processes do."""
        if self._tells_waiting and any(call.is_asked for call in self._calls.values()):
            body = {"execution_id": self._execution_id, "results": self._results, "certain": False}
            self._send(encode(WAITING, body))

    def ask(self, call, words, stdin, functions):
        """Sends a call to the host, or answers at once that it is not possible. `functions` are those that led to it."""
        if words[0] == SUBMIT:
            return self._submit(call, words[1:], stdin)
        if words[0] == REPORTED:
            return self._report(call)
        tool = self._tools.get(words[0])
        if tool is None:
            return call.answer(1, f"{words[0]}: this tool no longer exists")
        if words[1:] == ["--help"]:
            return call.answer(0, tool.get("documentation", _HOW_TO_ASK))
        try:
            body = {
                "execution_id": self._execution_id,
                "call_id": call.id,
                "tool_name": tool["name"],
                "arguments": parse_arguments(tool, words[1:], stdin),
            }
            line = self._find_line(functions)
            if line is not None:
                body["line"] = line
            frame = encode(TOOL_CALL, body)
            excess = self._bounds.find_excess(frame, TOOL_CALL)
        except (ArgumentsError, ValueError, RecursionError) as error:
            excess = str(error)
        if excess is not None:
            return call.fail("InvalidArguments", excess)
        call.is_asked = True
        self._send(frame)
        self._tell_waiting()

    def _find_line(self, functions):
        if self._lines_of is None:
            return None
        if self._lines is None:
            # Imported here, because most programs do not need it.
            from .call_lines import CallLines

            self._lines = CallLines(self._lines_of)
        return self._lines.find(functions)

    def _submit(self, call, words, stdin):
        """Keeps the value that is handed back. The last call counts."""
        try:
            self.value = encode_value(self._execution_id, parse_value(words, stdin), self._bounds, refuse)
        except (ArgumentsError, Unfit) as error:
            return call.answer(1, f"{SUBMIT} cannot hand this back: {error}")
        call.answer(0, "")

    def _report(self, call):
        """The command has printed its text."""
        if self._tells_reports:
            self._send(encode(REPORT, {"execution_id": self._execution_id}))
        call.answer(0, "")

    def give_up(self, call):
        """The process has ended, so the host can abort the tool."""
        if call.is_asked and self._execution_id is not None:
            self._send(encode(CALL_GIVEN_UP, {"execution_id": self._execution_id, "call_id": call.id}))
            call.is_asked = False
            self._tell_waiting()

    def remove(self, call):
        self._calls.pop(call.id, None)


class _Call:
    """One command: its words are read, then its reply is written."""

    def __init__(self, calls, loop, id, request, reply):
        self.id = id
        self.is_asked = False
        self._calls = calls
        self._loop = loop
        self._command = ""
        self._request = request
        self._parts = []
        self._answered = False
        self._reply = Writer(loop, reply, self._on_gone)
        loop.watch(request, self._on_request)

    def answer(self, status, text):
        """Sends the text that the command prints, and its exit status."""
        self.is_asked = False
        self._answered = True
        text = text.encode("utf-8", "replace")
        # Closed after the reader has read everything and has closed its end.
        self._reply.write(b"%d %d\n%b" % (status, len(text), text))

    def fail(self, type, message):
        self.answer(1, f"{self._command} failed ({type}): {message}")

    def close(self):
        self._calls.remove(self)
        self._close_request()
        self._reply.close()

    def _close_request(self):
        if self._request is not None:
            self._loop.forget(self._request)
            os.close(self._request)
            self._request = None

    def _on_request(self):
        try:
            data = os.read(self._request, READ_SIZE)
        except BlockingIOError:
            return
        if data:
            self._parts.append(data)
            return
        self._close_request()
        request = _decode_request(b"".join(self._parts))
        self._parts.clear()
        if request is not None:
            words, stdin, functions = request
            self._command = words[0]
            self._calls.ask(self, words, stdin, functions)

    def _on_gone(self):
        self._calls.give_up(self)
        self.close()


def _decode_request(data):
    """Returns the words of a command, the rest, and the functions that led to it. The first line has those functions,
    each with the line that called it, the second one the sizes of the words in bytes. None if it is malformed.
    """
    functions, _, rest = data.partition(b"\n")
    sizes, _, rest = rest.partition(b"\n")
    words = []
    for size in sizes.split():
        if not size.isdigit():
            return None
        end = int(size)
        words.append(rest[:end].decode("utf-8", "replace"))
        rest = rest[end:]
    if not words:
        return None
    return words, rest.decode("utf-8", "replace"), _decode_functions(functions)


def _decode_functions(data):
    """Returns the functions, each with its line, from the outermost."""
    names = data.decode("utf-8", "replace").split()
    lines = (int(line) if line.isdecimal() and len(line) < 10 else 0 for line in names[1::2])
    return list(zip(names[::2], lines))[::-1]


_UNICODE_ENCODER = _json.make_encoder({}, refuse, _json.encode_basestring, None, ":", ",", False, False, True)


def _to_text(value):
    """Returns a result as one line of JSON, without escaping characters."""
    text = "".join(_UNICODE_ENCODER(value, 0))
    # Half a surrogate pair is valid in JSON and not in UTF-8.
    return text if _is_printable(text) else lean_json.dumps(value, refuse)


def _is_printable(text):
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True

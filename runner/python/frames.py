"""The marker frames of the wire protocol. A frame is one line: marker, JSON, marker, newline."""

from . import lean_json

# What the host sends.
CONFIGURE = (b"__PTC_CONFIGURE__", b"__PTC_END_CONFIGURE__")
EXECUTE = (b"__PTC_EXECUTE__", b"__PTC_END_EXECUTE__")
TOOL_RESULT = (b"__PTC_TOOL_RESULT__", b"__PTC_END_RESULT__")
CANCEL = (b"__PTC_CANCEL__", b"__PTC_END_CANCEL__")
EXTEND = (b"__PTC_EXTEND__", b"__PTC_END_EXTEND__")
EXIT = (b"__PTC_EXIT__", b"__PTC_END_EXIT__")
ATTACH = (b"__PTC_ATTACH__", b"__PTC_END_ATTACH__")

# What the runner sends: tool calls on stderr, all else on stdout.
READY = (b"__PTC_READY__", b"__PTC_END_READY__")
ATTACHED = (b"__PTC_ATTACHED__", b"__PTC_END_ATTACHED__")
TOOL_CALL = (b"__PTC_TOOL_CALL__", b"__PTC_END_CALL__")
CALL_GIVEN_UP = (b"__PTC_CALL_GIVEN_UP__", b"__PTC_END_CALL_GIVEN_UP__")
OUTPUT_CHUNK = (b"__PTC_CHUNK__", b"__PTC_END_CHUNK__")
VALUE = (b"__PTC_VALUE__", b"__PTC_END_VALUE__")
OUTCOME = (b"__PTC_OUTPUT__", b"__PTC_END_OUTPUT__")

HOST_MARKERS = (TOOL_RESULT, EXECUTE, CANCEL, EXTEND, CONFIGURE, ATTACH, EXIT)

PROTOCOL_VERSION = 1


class FrameError(Exception):
    """A line that should be a frame is none."""


def refuse(value):
    """Says of a value that JSON has not that it has not."""
    raise TypeError(f"a {type(value).__name__} is no JSON value; pass a number, text, list or dict")


def encode(marker, body, default=refuse):
    """The line that carries `body`, newline included. Bodies are ASCII: all else is escaped."""
    return b"%b%b%b\n" % (marker[0], lean_json.dumps(body, default).encode("ascii"), marker[1])


def is_frame(line, marker):
    """Whether `line`, with or without its newline, stands between the two markers."""
    return line.startswith(marker[0]) and line.endswith(marker[1], 0, _end(line))


def _end(line):
    """Where the text of a line ends. Lines may be long: none is copied to lose its newline."""
    return len(line) - line.endswith(b"\n")


def decode(line, markers):
    """The marker and the body of a line, which must be a frame of one of `markers`."""
    for marker in markers:
        if is_frame(line, marker):
            text = memoryview(line)[len(marker[0]) : _end(line) - len(marker[1])]
            try:
                body = lean_json.loads(str(text, "utf-8"))
            # `SystemError` is the scanner's, of a text without its end, where `json.decoder` is not loaded.
            except (ValueError, RecursionError, SystemError) as error:
                raise FrameError(f"a frame is not JSON: {error}") from None
            if not isinstance(body, dict):
                raise FrameError("a frame is no JSON object")
            return marker, body
    raise FrameError(f"a line is no frame: {bytes(line[:80])!r}")


class LineSplitter:
    """Cuts bytes, split anywhere, into lines with their newlines."""

    def __init__(self, limit=None):
        self.limit = limit
        # Not a list of the parts, each of which takes fifty bytes and more however short it is.
        self._rest = bytearray()

    def push(self, data):
        """Takes the next bytes and gives the lines that they complete."""
        lines = data.split(b"\n")
        rest = lines.pop()
        complete = []
        for line in lines:
            complete.append(b"".join([self._rest, line, b"\n"]))
            if self._rest:
                self._rest = bytearray()
        self._rest += rest
        if self.limit is not None and len(self._rest) > self.limit:
            raise FrameError(f"a line is longer than {self.limit} bytes")
        return complete

"""The frames of the wire protocol. A frame is one line: opening marker, JSON, closing marker, newline.

The bytes of files precede their frame as they are, in the same line: marker, their number in six digits, the bytes.
"""

from . import lean_json

# Frames of the host.
CONFIGURE = (b"__PTC_CONFIGURE__", b"__PTC_END_CONFIGURE__")
EXECUTE = (b"__PTC_EXECUTE__", b"__PTC_END_EXECUTE__")
TOOL_RESULT = (b"__PTC_TOOL_RESULT__", b"__PTC_END_RESULT__")
CANCEL = (b"__PTC_CANCEL__", b"__PTC_END_CANCEL__")
EXTEND = (b"__PTC_EXTEND__", b"__PTC_END_EXTEND__")
EXIT = (b"__PTC_EXIT__", b"__PTC_END_EXIT__")
ATTACH = (b"__PTC_ATTACH__", b"__PTC_END_ATTACH__")
FILE_REQUEST = (b"__PTC_FILE_REQUEST__", b"__PTC_END_FILE_REQUEST__")
FILE_CANCEL = (b"__PTC_FILE_CANCEL__", b"__PTC_END_FILE_CANCEL__")

# Frames of the runner: tool calls, and what follows them, on stderr, all others on stdout.
READY = (b"__PTC_READY__", b"__PTC_END_READY__")
CONFIGURED = (b"__PTC_CONFIGURED__", b"__PTC_END_CONFIGURED__")
ATTACHED = (b"__PTC_ATTACHED__", b"__PTC_END_ATTACHED__")
TOOL_CALL = (b"__PTC_TOOL_CALL__", b"__PTC_END_CALL__")
CALL_GIVEN_UP = (b"__PTC_CALL_GIVEN_UP__", b"__PTC_END_CALL_GIVEN_UP__")
WAITING = (b"__PTC_WAITING__", b"__PTC_END_WAITING__")
OUTPUT_DELTA = (b"__PTC_OUTPUT_DELTA__", b"__PTC_END_OUTPUT_DELTA__")
IMAGE = (b"__PTC_IMAGE__", b"__PTC_END_IMAGE__")
REPORT = (b"__PTC_REPORT__", b"__PTC_END_REPORT__")
VALUE = (b"__PTC_VALUE__", b"__PTC_END_VALUE__")
OUTCOME = (b"__PTC_OUTPUT__", b"__PTC_END_OUTPUT__")
FILE_ANSWER = (b"__PTC_FILE_ANSWER__", b"__PTC_END_FILE_ANSWER__")

HOST_MARKERS = (TOOL_RESULT, EXECUTE, CANCEL, EXTEND, CONFIGURE, FILE_REQUEST, FILE_CANCEL, ATTACH, EXIT)

PROTOCOL_VERSION = 1

_DATA = b"__PTC_DATA__"
_DIGITS = 6
# How many bytes of a line say where its data ends.
DATA_HEAD_LENGTH = len(_DATA) + _DIGITS

# As the host writes it. Nothing before it in the frame is a text of somebody else.
_TOOLS_FIELD = b',"tools":['


class FrameError(Exception):
    """A line that is not a valid frame."""


def refuse(value):
    """Raises the error for a value that has no form in JSON."""
    raise TypeError(f"a {type(value).__name__} is not a JSON value; pass a number, text, list or dict")


def encode(marker, body, default=refuse):
    """Returns the line with `body`, including its newline. It is ASCII, because JSON escapes all other characters."""
    return b"%b%b%b\n" % (marker[0], lean_json.dumps(body, default).encode("ascii"), marker[1])


def is_frame(line, marker):
    """Whether `line`, with or without its newline, is between the two markers."""
    return line.startswith(marker[0]) and line.endswith(marker[1], 0, _end(line))


def _end(line):
    """The length of a line without its newline. A line may be long, so it is not copied to remove the newline."""
    return len(line) - line.endswith(b"\n")


def decode(line, markers):
    """Returns the marker and the body of a line, which must be a frame with one of `markers`."""
    for marker in markers:
        if is_frame(line, marker):
            text = memoryview(line)[len(marker[0]) : _end(line) - len(marker[1])]
            try:
                body = lean_json.loads(str(text, "utf-8"))
            # Without `json.decoder`, the scanner raises `SystemError` for a text without its end.
            except (ValueError, RecursionError, SystemError) as error:
                raise FrameError(f"a frame is not JSON: {error}") from None
            if not isinstance(body, dict):
                raise FrameError("a frame is not a JSON object")
            return marker, body
    raise FrameError(f"a line is not a frame: {bytes(line[:80])!r}")


def with_data(data, frame):
    """Returns the line of a frame with `data` in front."""
    return b"%b%0*d%b%b" % (_DATA, _DIGITS, len(data), data, frame)


def data_end(line):
    """Where the data in front of a line ends; 0 if there is none. The line may have more bytes than these, or not all of
    them yet.
    """
    if not line.startswith(_DATA):
        return 0
    digits = line[len(_DATA) : DATA_HEAD_LENGTH]
    return DATA_HEAD_LENGTH + int(digits) if len(digits) == _DIGITS and digits.isdigit() else 0


def split_data(line):
    """Returns the data in front of a line, or None, and the frame behind it. The data is not copied."""
    end = data_end(line)
    if end == 0:
        return None, line
    view = memoryview(line)
    return view[DATA_HEAD_LENGTH:end], bytes(view[end:])


def without_tools(line):
    """Returns a configuration without its last field, the tools, which only the guest reads: there may be thousands. Any
    other line stays as it is.
    """
    end = line.find(_TOOLS_FIELD) if is_frame(line, CONFIGURE) else -1
    return line if end == -1 else b"%b}%b" % (line[:end], CONFIGURE[1])


class LineSplitter:
    """Splits chunks of bytes into lines with their newlines."""

    def __init__(self, limit=None):
        self.limit = limit
        # Not a list of chunks, each of which would take at least fifty bytes, however short it is.
        self._rest = bytearray()

    def push(self, data):
        """Adds a chunk, and returns the lines that are complete now."""
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


class DataLineSplitter:
    """The same for lines that may begin with data, whose newlines do not end them."""

    def __init__(self, limit=None):
        self._limit = limit
        self._rest = bytearray()

    @property
    def is_within_line(self):
        """Whether a line has begun that is not complete."""
        return bool(self._rest)

    def push(self, data):
        """Adds a chunk, and returns the lines that are complete now."""
        if not self._rest and data.find(b"\n", data_end(data)) == len(data) - 1:
            # A chunk is usually one line, which need not be copied.
            return [data] if data else []
        # A long line comes in many chunks, and all of it would be searched again with each.
        searched = len(self._rest)
        self._rest += data
        complete = []
        while (newline := self._rest.find(b"\n", max(searched, data_end(self._rest)))) >= 0:
            with memoryview(self._rest) as view:
                complete.append(bytes(view[: newline + 1]))
            del self._rest[: newline + 1]
            searched = 0
        if self._limit is not None and len(self._rest) > self._limit:
            raise FrameError(f"a line is longer than {self._limit} bytes")
        return complete

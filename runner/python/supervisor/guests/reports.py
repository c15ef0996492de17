"""A guest's report of how a program ended. The program can forge it, so each field is checked."""

from _json import scanstring

from ...shared.frames import OUTCOME, READY, FrameError, decode

# More than a value and the texts of an error can take with all characters escaped. The host refuses frames above 4
# MiB.
MAX_BYTES = (4 << 20) - (1 << 12)
# A report has few fields and no lists, so outside of texts there are only quotes of names, punctuation and numbers.
_MAX_CHARACTERS_BESIDE_TEXTS = 1000
# The values of a shorter line take little memory, and most reports are short.
_MAX_UNSEEN_BYTES = 4096
_MAX_NUMBER = (1 << 53) - 1
_MAX_VERSION_LENGTH = 50


def _is_text(value):
    return type(value) is str


def _is_optional_text(value):
    return value is None or type(value) is str


def _is_flag(value):
    return type(value) is bool


def _is_status(value):
    return type(value) is int and 0 <= value <= 255


def _is_optional_count(value):
    return value is None or type(value) is int and 0 <= value <= _MAX_NUMBER


def _is_optional_version(value):
    return value is None or type(value) is str and len(value) <= _MAX_VERSION_LENGTH


def _is_optional_error(value):
    return value is None or type(value) is dict


_REPORT = (
    ("execution_id", _is_text),
    ("success", _is_flag),
    ("value", _is_optional_text),
    ("error", _is_optional_error),
    ("exit_code", _is_status),
)
_ERROR = (("type", _is_text), ("message", _is_text), ("line", _is_optional_count), ("traceback", _is_text))
_KEPT = (("shell", _is_optional_count),)
_STARTED = (*_KEPT, ("version", _is_optional_version))


def read_report(line):
    """Returns the fields of a report, without any others, and the id of the process that the guest keeps. Raises
    `FrameError` if the line is not a report as guests write it.
    """
    body = _decode(line, OUTCOME)
    report = _checked(body, _REPORT)
    error = report["error"]
    if error is not None:
        report["error"] = _checked(error, _ERROR)
    if report["success"] is not (error is None and report["exit_code"] == 0):
        raise FrameError("a report that contradicts itself")
    return report, _checked(body, _KEPT)["shell"]


def read_ready(line):
    """Returns the id of the process that a guest keeps between programs, and the version of its interpreter, from its
    message that it is ready.
    """
    ready = _checked(_decode(line, READY), _STARTED)
    return ready["shell"], ready["version"]


def digest(report):
    """Returns a number that is equal for equal reports."""
    execution_id, _, value, error, exit_code = report.values()
    return hash((execution_id, value, exit_code, error and tuple(error.values())))


def _decode(line, marker):
    """Returns the body of a line. A line with many values is refused before it is parsed, because a list of empty
    lists takes fifty times the memory of its text.
    """
    if len(line) > MAX_BYTES:
        raise FrameError("a report that is too long")
    # Such text would become longer when it is passed on.
    if not line.isascii():
        raise FrameError("a report that is not ASCII")
    if len(line) > _MAX_UNSEEN_BYTES and not _has_few_values(line):
        raise FrameError("a report that is not JSON, or has more values than any")
    return decode(line, (marker,))[1]


def _has_few_values(line):
    text = str(line, "ascii")
    beside_texts = end = 0
    while beside_texts <= _MAX_CHARACTERS_BESIDE_TEXTS:
        start = text.find('"', end)
        if start < 0:
            return beside_texts + len(text) - end <= _MAX_CHARACTERS_BESIDE_TEXTS
        beside_texts += start - end + 1
        try:
            end = scanstring(text, start + 1, False)[1]
        # `SystemError`: see `decode`.
        except (ValueError, SystemError):
            return False
    return False


def _checked(body, checks):
    fields = {}
    for name, is_right in checks:
        fields[name] = value = body.get(name)
        if not is_right(value):
            raise FrameError(f"a report whose field {name!r} is missing or wrong")
    return fields

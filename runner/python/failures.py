"""What a program is told of its own error: type, message, and its own lines only."""

import traceback

# Program files are named `<run 1>`, `<run 2>`, …; all else on the stack is not the program's.
PROGRAM_FILE_PREFIX = "<run "

_MAX_TEXT = 16_384


def describe(error, filename):
    """The error as the outcome frame has it."""
    report = traceback.TracebackException(type(error), error, error.__traceback__)
    _keep_program_frames(report, set())
    return {
        "type": type(error).__name__,
        "message": shorten(_message(error)),
        "line": _line(error, report, filename),
        "traceback": shorten("".join(report.format()).rstrip("\n")),
    }


def shorten(text, limit=_MAX_TEXT):
    """`text` with its middle left out where it is long."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"


def _message(error):
    try:
        return str(error)
    except Exception:
        return "(its message cannot be shown)"


def _keep_program_frames(report, seen):
    """Takes out the frames of the runner and of libraries, here and in the errors behind this one."""
    if report is None or id(report) in seen:
        return
    seen.add(id(report))
    report.stack = traceback.StackSummary.from_list(
        [frame for frame in report.stack if frame.filename.startswith(PROGRAM_FILE_PREFIX)]
    )
    _keep_program_frames(report.__cause__, seen)
    _keep_program_frames(report.__context__, seen)
    for inner in getattr(report, "exceptions", None) or ():
        _keep_program_frames(inner, seen)


def _line(error, report, filename):
    """The line of this program that the error came from."""
    if isinstance(error, SyntaxError) and error.filename == filename:
        return error.lineno
    lines = [frame.lineno for frame in report.stack if frame.filename == filename]
    return lines[-1] if lines else None

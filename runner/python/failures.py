"""What a program is told of its own error: type, message, and its own lines only."""

import os

# Program files are named `<run 1>`, `<run 2>`, …; all else on the stack is not the program's.
PROGRAM_FILE_PREFIX = "<run "
# What a program gave `exec`, and what libraries make in the same way.
_TEXT_FILE = "<string>"
_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep
# Whose frames say nothing to the program's author. The runner has files where it is imported.
_OTHERS = (f"-packages{os.sep}", f"{os.sep}ptc_runner{os.sep}")

_MAX_TEXT = 16_384
_NO_IPYTHON = "name 'get_ipython' is not defined"


def describe(error, filename):
    """The error as the outcome frame has it."""
    if type(error) is NameError and error.args == (_NO_IPYTHON,):
        # A NameError it stays: programs that also run elsewhere look for it.
        error.args = (f"{_NO_IPYTHON}: this is plain Python",)
    message = shorten(_message(error))
    return {
        "type": type(error).__name__[:200],
        "message": message,
        "line": _line(error, filename),
        "traceback": shorten(_traceback(error, message)),
    }


def describe_unreadable(error):
    """An error whose class fails when it is looked at."""
    # Past whatever its metaclass says.
    name = type.__dict__["__name__"].__get__(type(error))
    message = "(the error cannot be shown: it fails when it is looked at)"
    return {"type": name, "message": message, "line": None, "traceback": f"{name}: {message}"}


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


def _traceback(error, message):
    """The traceback as Python prints it, with the program's own lines only."""
    try:
        # Slow to load, and only needed here.
        import traceback
    except Exception:
        # The program has left no file descriptor to load it with, or no path.
        lines = [f'  File "{filename}", line {line}, in {name}' for filename, line, name in _program_frames(error)]
        return "\n".join(["Traceback (most recent call last):", *lines, f"{type(error).__name__}: {message}"])
    if isinstance(error, SyntaxError):
        _add_text(error)
    report = traceback.TracebackException(type(error), error, error.__traceback__)
    _keep_program_frames(report, traceback.StackSummary, set())
    return "".join(report.format()).rstrip("\n")


def _add_text(error):
    """Adds the line that a syntax error is in, which Python looks for in a file if it found the error while it compiled."""
    import linecache

    if error.text is None and type(error.lineno) is int and str(error.filename).startswith(PROGRAM_FILE_PREFIX):
        error.text = linecache.getline(error.filename, error.lineno) or None


def _is_own(filename):
    """Whether code is the program's: its own text, or a module that it wrote."""
    if filename.startswith("<"):
        return filename.startswith(PROGRAM_FILE_PREFIX) or filename == _TEXT_FILE
    # Compiled libraries name their sources, which are not there, without a directory.
    if not os.path.isabs(filename) or filename.startswith(_STANDARD_LIBRARY):
        return False
    return not any(part in filename for part in _OTHERS)


def _program_frames(error):
    """File, line and function of each call of the program's on the way to the error."""
    frames = []
    position = error.__traceback__
    while position is not None:
        code = position.tb_frame.f_code
        if code.co_filename.startswith(PROGRAM_FILE_PREFIX):
            frames.append((code.co_filename, position.tb_lineno, code.co_name))
        position = position.tb_next
    return frames


def _keep_program_frames(report, summary, seen):
    """Takes out the frames of the runner and of libraries, here and in the errors behind this one."""
    if report is None or id(report) in seen:
        return
    seen.add(id(report))
    report.stack = summary.from_list(
        [frame for frame in report.stack if _is_own(frame.filename)]
    )
    _keep_program_frames(report.__cause__, summary, seen)
    _keep_program_frames(report.__context__, summary, seen)
    for inner in getattr(report, "exceptions", None) or ():
        _keep_program_frames(inner, summary, seen)


def _line(error, filename):
    """The line of this program that the error came from."""
    if isinstance(error, SyntaxError) and error.filename == filename:
        # A program may have made it.
        return error.lineno if type(error.lineno) is int and error.lineno > 0 else None
    lines = [line for name, line, _ in _program_frames(error) if name == filename]
    return lines[-1] if lines else None

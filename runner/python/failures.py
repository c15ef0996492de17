"""Describes the error of a program: its type, its message, and only the program's own lines."""

import os

# Program files are named `<run 1>`, `<run 2>`, and so on. Other files on the stack do not belong to the program.
PROGRAM_FILE_PREFIX = "<run "
# The name of code that was passed to `exec`, by a program or by a library.
_TEXT_FILE = "<string>"
_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep
# Files whose frames do not help the program's author. The runner has files if it was imported from a directory.
_FOREIGN_PATHS = (f"-packages{os.sep}", f"{os.sep}ptc_runner{os.sep}")

_MAX_TEXT = 16_384
_NO_IPYTHON = "name 'get_ipython' is not defined"


def describe(error, filename):
    """Returns the error in the form of the outcome frame."""
    if type(error) is NameError and error.args == (_NO_IPYTHON,):
        # It remains a NameError, because programs that also run elsewhere catch that.
        error.args = (f"{_NO_IPYTHON}: this is plain Python",)
    message = shorten(_message(error))
    return {
        "type": type(error).__name__[:200],
        "message": message,
        "line": _line(error, filename),
        "traceback": shorten(_traceback(error, message)),
    }


def describe_unreadable(error):
    """Describes an error whose class raises errors when it is inspected."""
    # Bypasses the metaclass.
    name = type.__dict__["__name__"].__get__(type(error))
    message = "(the error cannot be shown: it fails when it is looked at)"
    return {"type": name, "message": message, "line": None, "traceback": f"{name}: {message}"}


def shorten(text, limit=_MAX_TEXT):
    """Returns `text`. If it is too long, its middle is left out."""
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
    """Returns the traceback as Python prints it, with the program's own lines only."""
    try:
        # Slow to load, and needed only here.
        import traceback
    except Exception:
        # The program has closed all file descriptors, or changed `sys.path`.
        lines = [f'  File "{filename}", line {line}, in {name}' for filename, line, name in _program_frames(error)]
        return "\n".join(["Traceback (most recent call last):", *lines, f"{type(error).__name__}: {message}"])
    if isinstance(error, SyntaxError):
        _add_text(error)
    report = traceback.TracebackException(type(error), error, error.__traceback__)
    _keep_program_frames(report, traceback.StackSummary, set())
    return "".join(report.format()).rstrip("\n")


def _add_text(error):
    """Adds the text of the line of a syntax error. For errors of its compiler, Python looks for it in a file only."""
    import linecache

    if error.text is None and type(error.lineno) is int and str(error.filename).startswith(PROGRAM_FILE_PREFIX):
        error.text = linecache.getline(error.filename, error.lineno) or None


def _is_own(filename):
    """Whether code belongs to the program: its own text, or a module that it wrote."""
    if filename.startswith("<"):
        return filename.startswith(PROGRAM_FILE_PREFIX) or filename == _TEXT_FILE
    # Compiled libraries name their sources, which are not in the sandbox, without a directory.
    if not os.path.isabs(filename) or filename.startswith(_STANDARD_LIBRARY):
        return False
    return not any(part in filename for part in _FOREIGN_PATHS)


def _program_frames(error):
    """Returns file, line and function of each of the program's frames in the traceback."""
    frames = []
    position = error.__traceback__
    while position is not None:
        code = position.tb_frame.f_code
        if code.co_filename.startswith(PROGRAM_FILE_PREFIX):
            frames.append((code.co_filename, position.tb_lineno, code.co_name))
        position = position.tb_next
    return frames


def _keep_program_frames(report, summary, seen):
    """Removes the frames of the runner and of libraries, from this error and from its causes and contexts."""
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
    """The line of this program in which the error was raised."""
    if isinstance(error, SyntaxError) and error.filename == filename:
        # The program itself may have created it.
        return error.lineno if type(error.lineno) is int and error.lineno > 0 else None
    lines = [line for name, line, _ in _program_frames(error) if name == filename]
    return lines[-1] if lines else None

"""Describes how an error ends a program: its type, its message, and only the program's own lines."""

import os
import sys

# Program files are named `<run 1>`, `<run 2>`, and so on. Other files on the stack do not belong to the program.
PROGRAM_FILE_PREFIX = "<run "
# The name of code that was passed to `exec`, by a program or by a library.
_TEXT_FILE = "<string>"
_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep
# Files whose frames do not help the program's author. The runner has files if it was imported from a directory.
_FOREIGN_PATHS = (f"-packages{os.sep}", f"{os.sep}ptc_runner{os.sep}")

# Pyodide has its own hook.
_PLAIN_HOOK = sys.excepthook

_MAX_TEXT = 16_384
# By name, because their modules may not be loaded.
_MAY_NEED_ADVICE = ("CalledProcessError", "ExceptionGroup")
_NO_IPYTHON = "name 'get_ipython' is not defined"


def call_hook(error):
    """Calls `sys.excepthook` if the program has set it. It gets only the program's part of the traceback."""
    hook = getattr(sys, "excepthook", None)
    if hook in (None, sys.__excepthook__, _PLAIN_HOOK):
        return
    position = error.__traceback__
    while position is not None and not position.tb_frame.f_code.co_filename.startswith(PROGRAM_FILE_PREFIX):
        position = position.tb_next
    try:
        hook(type(error), error.with_traceback(position), position)
    except Exception as own:
        print(f"Error in sys.excepthook: {type(own).__name__}: {own}", file=sys.stderr)


def report(error, filename):
    """Describes how an error ends a program, even if the error raises other errors when it is inspected."""
    try:
        return _read(error, filename)
    except BaseException:
        return {"success": False, "exit_code": 1, "error": describe_unreadable(error)}


def end_copy(report):
    """Ends a copy of the process, which a program forked. As in plain Python, it prints the error that ended it."""
    error = report["error"]
    # Its text was printed.
    if error is not None and error["type"] != "SystemExit":
        try:
            print(error["traceback"], file=sys.stderr, flush=True)
        except Exception:
            # A program may close or replace its streams.
            pass
    os._exit(report["exit_code"])


def _read(error, filename):
    """`sys.exit(…)` is an error like others: with 0 or None it is a success, and a text goes to stderr."""
    if not isinstance(error, SystemExit):
        return {"success": False, "exit_code": 1, "error": describe(error, filename)}
    code = error.code
    exit_code = 1
    if code is None:
        return {}
    if isinstance(code, int):
        # Not `code & 0xFF`, because a subclass may define that operator.
        exit_code = int.__and__(code, 0xFF)
        if exit_code == 0:
            return {}
    else:
        print(code, file=sys.stderr)
    return {"success": False, "exit_code": exit_code, "error": describe(error, filename)}


def describe(error, filename):
    """Returns the error in the form of the outcome frame."""
    if type(error) is NameError and error.args == (_NO_IPYTHON,):
        # It remains a NameError, because programs that also run elsewhere catch that.
        error.args = (f"{_NO_IPYTHON}: this is plain Python",)
    message = shorten(_message(error))
    traceback = _traceback(error, message)
    advice = _advice(error)
    if advice:
        traceback, message = _explain(traceback, message, advice)
    return {
        "type": type(error).__name__[:200],
        "message": message,
        "line": _line(error, filename),
        "traceback": shorten(traceback),
    }


def _explain(traceback, message, advice):
    """Adds the advice to the traceback and to the message, and returns both."""
    if message == "":
        # The traceback ends with the type.
        return f"{traceback}: {advice}", advice
    explained = f"{message.rstrip('.')}: {advice}"
    # The traceback ends with the message, unless the class of the error changes how it is shown.
    if traceback.endswith(message):
        return traceback[: -len(message)] + explained, explained
    return f"{traceback}\n{advice}", explained


def _advice(error):
    """Returns what a program can do instead, for errors of the kinds that expect what no sandbox has."""
    current = error
    for _ in range(10):
        if isinstance(current, (ImportError, OSError)) or type(current).__name__ in _MAY_NEED_ADVICE:
            try:
                # Rarely needed.
                from .slips import advice
            except Exception:
                # The program has closed all file descriptors, or changed `sys.path`.
                return ""
            return advice(error)
        if current is None:
            break
        current = current.__cause__ or current.__context__
    return ""


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
    report.stack = summary.from_list([frame for frame in report.stack if _is_own(frame.filename)])
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

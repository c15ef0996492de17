"""Describes how a program in bash ended, in the form of the outcome frame."""

# The status of `eval` for a program that bash cannot parse. Commands may end with it too.
SYNTAX_ERROR_STATUS = 2


def describe(status, complaint):
    """Describes a program that ended with a status other than 0. `complaint` is bash's error for its syntax, or
    empty.
    """
    if complaint:
        return _syntax_error(complaint)
    return _failure("ExitStatus", f"the program ended with status {status}")


def interrupted():
    return _failure("Interrupted", "the program was interrupted")


def _syntax_error(complaint):
    """Parses an error such as `bash: line 3: syntax error near unexpected token `)'`."""
    _, _, text = complaint.partition("\n")[0].partition(": ")
    line = None
    if text.startswith("line "):
        number, _, text = text[len("line ") :].partition(": ")
        line = int(number)
    return {"type": "SyntaxError", "message": text, "line": line, "traceback": f"SyntaxError: {text}"}


def _failure(type, message):
    return {"type": type, "message": message, "line": None, "traceback": f"{type}: {message}"}

"""What the supervisor reports of a run that its guest can say nothing of."""

_ENDS = {
    "exit": "the program ended its interpreter with status %d, and the session's state with it",
    "signal": "the interpreter was ended by signal %d, and the session's state with it",
    "memory": "the program needed more memory than the sandbox has (signal %d); the session's state is lost",
    "killed": "the program did not stop when it was interrupted, so it was ended (signal %d); the session's state is lost",
}


def interpreter_ended(end):
    """Of a run whose interpreter is gone; `end` is what `process.describe_end` gave."""
    return _failure("InterpreterEnded", _ENDS[end["reason"]] % end["status"])


def not_begun():
    """Of a run that was stopped while its interpreter was loading."""
    return _failure("Interrupted", "the program was interrupted before it began")


def no_interpreter(language):
    """Of a run for whose language the sandbox has nothing."""
    message = f"this sandbox has no interpreter for {language}; use an image that has one, or another language"
    return _failure("LanguageUnavailable", message)


def _failure(type, message):
    error = {"type": type, "message": message, "line": None, "traceback": f"{type}: {message}"}
    return {"success": False, "error": error, "exit_code": 1}

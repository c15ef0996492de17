"""The outcomes that the supervisor writes when a guest cannot report."""

# Further reasons why an interpreter was ended.
CANNOT_STOP = "a process of the program could not be stopped after its end"
CONTINUED = "the program made its interpreter continue after the end of the program"
CANNOT_END = "the processes that the program left behind could not be ended"
WROTE = "the program wrote to a pipe of its own interpreter: %s"

# A warning to the program.
LEFTOVERS = "background processes ended because the program ended before them: %d"

_ENDS = {
    "exit": "the program ended its interpreter with status %d, and the session's state with it",
    "signal": "the interpreter was ended by signal %d, and the session's state with it",
    "memory": "the program needed more memory than the sandbox has (signal %d); the session's state is lost",
    "killed": "the program did not stop when it was interrupted, so it was ended (signal %d); the session's state is lost",
}


def interpreter_ended(end):
    """The outcome of a program whose interpreter has ended. `end` is from `system.describe_end`."""
    return _failure("InterpreterEnded", _ENDS[end["reason"]] % end["status"])


def disturbed(fault):
    """The outcome of a program whose interpreter did something that it never does by itself."""
    return _failure("InterpreterEnded", f"{fault}; its interpreter was ended, and the session's state is lost")


def not_begun():
    """The outcome of a program that was stopped while its interpreter was loading."""
    return _failure("Interrupted", "the program was interrupted before it began")


def no_interpreter(language):
    """The outcome of a program in a language without an interpreter."""
    message = f"this sandbox has no interpreter for {language}; use an image that has one, or another language"
    return _failure("LanguageUnavailable", message)


def _failure(type, message):
    error = {"type": type, "message": message, "line": None, "traceback": f"{type}: {message}"}
    return {"success": False, "value": None, "error": error, "exit_code": 1}

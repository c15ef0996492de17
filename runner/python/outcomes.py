"""What the supervisor reports of a run that its guest can say nothing of."""

# Why an interpreter was ended beside these.
CANNOT_STOP = "a process of the program could not be stopped after its end"
WENT_ON = "the program had its interpreter go on after its end"
CANNOT_END = "the processes that the program left behind could not be ended"
WROTE = "the program wrote to a pipe of its own interpreter: %s"

# What a program is told of what it left behind.
LEFTOVERS = "background processes ended because the program ended before them: %d"

_ENDS = {
    "exit": "the program ended its interpreter with status %d, and the session's state with it",
    "signal": "the interpreter was ended by signal %d, and the session's state with it",
    "memory": "the program needed more memory than the sandbox has (signal %d); the session's state is lost",
    "killed": "the program did not stop when it was interrupted, so it was ended (signal %d); the session's state is lost",
}


def interpreter_ended(end):
    """Of a run whose interpreter is gone; `end` is what `process.describe_end` gave."""
    return _failure("InterpreterEnded", _ENDS[end["reason"]] % end["status"])


def disturbed(fault):
    """Of a run that ended because its interpreter did what none of ours does by itself."""
    return _failure("InterpreterEnded", f"{fault}; its interpreter was ended, and the session's state is lost")


def not_begun():
    """Of a run that was stopped while its interpreter was loading."""
    return _failure("Interrupted", "the program was interrupted before it began")


def no_interpreter(language):
    """Of a run for whose language the sandbox has nothing."""
    message = f"this sandbox has no interpreter for {language}; use an image that has one, or another language"
    return _failure("LanguageUnavailable", message)


def _failure(type, message):
    error = {"type": type, "message": message, "line": None, "traceback": f"{type}: {message}"}
    return {"success": False, "value": None, "error": error, "exit_code": 1}

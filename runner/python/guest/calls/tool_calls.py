"""Tools as async functions: a call is sent to the host as a frame and waits for the result."""

import itertools
import os
import sys

from ...shared.frames import CALL_GIVEN_UP, TOOL_CALL, encode, refuse
from ...shared.parameters import parameters_of
from .call_bounds import CallBounds
from ..shown_code import show_as


# The file name of tools' functions in tracebacks.
_TOOLS_FILE = "<tools>"


class ToolError(Exception):
    """A tool call failed: `type` is the kind of failure, `tool` the name of the tool. `message`, which is also its
    text, has both and the reason, as in the other languages.
    """

    def __new__(cls, type, tool, reason):
        if type == "Timeout" and cls is ToolError:
            return TimeoutError.__new__(_ToolTimeout)
        return super().__new__(cls)

    def __init__(self, type, tool, reason):
        self.message = f"{tool} failed ({type}): {reason}"
        super().__init__(self.message)
        # A `TimeoutError` keeps those with which it was created.
        self.args = (self.message,)
        self.type = type
        self.tool = tool
        self._reason = reason

    def __reduce__(self):
        return ToolError, (self.type, self.tool, self._reason)


class _ToolTimeout(ToolError, TimeoutError):
    """A `ToolError` that programs can also catch as they catch other timeouts."""


_ToolTimeout.__name__ = _ToolTimeout.__qualname__ = "ToolError"
_ToolTimeout.__module__ = "builtins"
# Shown as `ToolError`, without the name of the runner's module.
ToolError.__module__ = "builtins"


class ToolCalls:
    """The calls that wait for results, by id, in any event loop or thread."""

    def __init__(self, channel, waiting):
        self._channel = channel
        self._waiting = waiting
        self._pending = {}
        self._ids = itertools.count(1)
        self._execution_id = None
        self._process = os.getpid()
        self.bounds = CallBounds()
        # Set if the host wants to know when the program waits.
        self._teller = None
        # Set if the host wants to know which lines make calls.
        self._lines = None

    def start(self, execution_id, tells_waiting, lines_of=None):
        """Begins a program. Results for earlier programs are ignored from now on. `lines_of` is the file name of the
        program if the host wants to know its lines that make calls.
        """
        self._execution_id = execution_id
        self._pending.clear()
        if self._lines is not None:
            self._lines.end()
        self._lines = None if lines_of is None else _make_lines(lines_of)
        if tells_waiting or self._teller is not None:
            self._tell_waiting(execution_id, tells_waiting)

    def _tell_waiting(self, execution_id, tells_waiting):
        if self._teller is not None:
            self._teller.stop()
        if not tells_waiting:
            self._teller = self._waiting.teller = None
            return
        # Imported here, because most programs do not need it.
        from ..concurrency.wait_teller import WaitTeller

        self._teller = self._waiting.teller = WaitTeller(self._channel, execution_id, self._pending)

    async def call(self, tool, arguments):
        """Asks the host to run `tool`."""
        if os.getpid() != self._process:
            # Copies of the counter would give the same ids.
            raise RuntimeError(
                f"{tool['identifier']}() works in the program itself, not in a process that it started; "
                "call it there, and pass the result on"
            )
        reply = self._waiting.new_reply()
        call_id = str(next(self._ids))
        # Read now: a thread of this program may still be here when the next program begins.
        execution_id = self._execution_id
        body = {"execution_id": execution_id, "call_id": call_id, "tool_name": tool["name"], "arguments": arguments}
        line = None if self._lines is None else self._lines.find(1)
        if line is not None:
            body["line"] = line
        try:
            frame = encode(TOOL_CALL, body, plain)
        except (TypeError, ValueError, RecursionError) as error:
            raise ToolError("InvalidArguments", tool["identifier"], str(error)) from None
        excess = self.bounds.find_excess(frame, TOOL_CALL)
        if excess is not None:
            raise ToolError("InvalidArguments", tool["identifier"], excess)
        self._pending[call_id] = reply
        teller = self._teller
        try:
            if teller is None:
                self._channel.send(frame)
            else:
                teller.send_call(frame)
            body = await reply
        except (KeyboardInterrupt, GeneratorExit):
            # The host knows of an interrupt. GeneratorExit can be raised anywhere, even while something is sent.
            raise
        except BaseException:
            self._give_up(call_id, execution_id)
            raise
        finally:
            self._pending.pop(call_id, None)
        error = body["error"]
        if error is not None:
            raise ToolError(error["type"], tool["identifier"], error["message"])
        return body["result"]

    def _give_up(self, call_id, execution_id):
        """Tells the host that the program no longer waits, so that it can abort the tool."""
        # In a copy of the process, which the program forked, the call is not its own.
        if call_id in self._pending and os.getpid() == self._process:
            ids = {"execution_id": execution_id, "call_id": call_id}
            self._channel.send(encode(CALL_GIVEN_UP, ids))
            if self._teller is not None:
                self._teller.on_change()

    def deliver(self, body):
        """Passes a result to the call that waits for it."""
        if self._teller is not None:
            self._teller.on_result()
        reply = self._pending.get(body["call_id"])
        if reply is not None:
            self._waiting.settle(reply, body)


def _make_lines(filename):
    # Imported here, because most programs do not need it.
    from .call_lines import CallLines

    return CallLines(filename)


def make_function(calls, tool):
    """Returns the async function by which a program calls `tool`."""
    # Left out if it follows from the path.
    if "name" not in tool:
        tool["name"] = tool["path"].replace(".", ":")

    async def function(*args, **kwargs):
        try:
            return await calls.call(tool, bind_arguments(tool, args, kwargs))
        except BaseException as error:
            # Programs print tracebacks, and frames of the runner do not help them.
            raise error.with_traceback(None)

    show_as(function, _TOOLS_FILE, tool["identifier"])
    function.__doc__ = tool.get("documentation")
    function.__module__ = "__main__"
    return function


def bind_arguments(tool, args, kwargs):
    """Returns the arguments object of a call by keywords, by position, or with one dict of all arguments."""
    parameters = parameters_of(tool)
    if len(args) == 1 and not kwargs and _is_arguments_object(args[0], parameters):
        return {_name_of(key, parameters): value for key, value in args[0].items()}
    if len(args) > len(parameters):
        taken = "1 positional argument" if len(parameters) == 1 else f"{len(parameters)} positional arguments"
        given = "1 was" if len(args) == 1 else f"{len(args)} were"
        raise TypeError(f"{tool['identifier']}() takes {taken} but {given} given")
    bound = {parameter["name"]: value for parameter, value in zip(parameters, args)}
    for key, value in kwargs.items():
        name = _name_of(key, parameters)
        if name in bound:
            raise TypeError(f"{tool['identifier']}() got multiple values for argument '{key}'")
        bound[name] = value
    return bound


def _is_arguments_object(value, parameters):
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        return False
    known = {name for parameter in parameters for name in (parameter["name"], parameter["identifier"])}
    if all(key in known for key in value) and value:
        return True
    return not parameters or not parameters[0]["accepts_object"]


def _name_of(key, parameters):
    for parameter in parameters:
        if key == parameter["identifier"]:
            return parameter["name"]
    return key


def plain(value):
    """Returns the JSON form of a value that JSON lacks but that has one obvious form."""
    if isinstance(value, (set, frozenset)):
        return list(value)
    if _is_of(value, "datetime", "date", "time"):
        return value.isoformat()
    if _is_of(value, "enum", "Enum"):
        return value.value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    # Scalars and arrays of NumPy and pandas.
    if hasattr(value, "tolist"):
        return value.tolist()
    return refuse(value)


def _is_of(value, module, *names):
    """Whether it belongs to a class of a module. If the module is not loaded, it cannot."""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(value, tuple(getattr(loaded, name) for name in names))

"""The guest for Python in a Deno worker: CPython, compiled to WebAssembly. A snapshot is made before it serves."""

import asyncio
import importlib
import operator
import os
import random
import sys
import time
import zoneinfo

from ..files import search  # noqa: F401
from ..files.server import FileServer
from ..guest import module_order
from ..guest.guest import Guest

# These, and `search`, are imported before the snapshot is made, because no module of the runner can be imported later.
from ..guest.calls import call_lines  # noqa: F401
from ..guest.concurrency import wait_teller  # noqa: F401
from ..guest.program import left_files, notebook, slips, values  # noqa: F401
from ..guest.streams import renew_streams
from ..shared.output_directory import OutputDirectory
from ..shared.frames import FILE_REQUEST, OUTCOME, decode, encode, is_frame, split_data
from . import device_loop, wheels  # noqa: F401
from .device_channel import DeviceChannel

VERSION = "%d.%d.%d" % sys.version_info[:3]

# Modules that programs often use. In the snapshot they cost nothing; imported later, tens of milliseconds each.
_PRELOADED = (
    "base64",
    "calendar",
    "collections",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "html",
    "io",
    "itertools",
    "json",
    "math",
    "operator",
    "pathlib",
    "pprint",
    "random",
    "re",
    "statistics",
    "string",
    "tempfile",
    "textwrap",
    "traceback",
    "typing",
    "urllib.parse",
    "uuid",
    "zoneinfo",
)
# If a program is sent right after the start of a sandbox, it begins at once. Otherwise there is time to warm up.
_WARM_UP_AFTER = 0.1
# With less free memory than this, another program could not run, and its end could not be reported.
_NEEDED_BYTES = 16 << 20
# The working directory of programs.
_DIRECTORY = "/tmp"
# Calls a function in a new call of the interpreter's main function. V8 optimizes that function while it runs, but a call
# that has begun continues in slow code. Functions of Python call each other in the same call, `serve` too, which began
# at the start.
_call_anew = operator.call
# The modules that lead from Python to JavaScript.
_JAVASCRIPT_MODULES = ("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core")


def prepare():
    """Does everything that can be done before the snapshot is made."""
    global _channel, _guest
    # The directory contains only the runner, which is loaded.
    sys.path.pop()
    for name in _PRELOADED:
        importlib.import_module(name)
    _channel = DeviceChannel()
    device_loop.install(_channel)
    time.sleep = _channel.sleep
    _explain_missing_zones()
    _guest = _PyodideGuest(_channel, _prepare_program, f"{_DIRECTORY}/program.py")


def _explain_missing_zones():
    """Makes `ZoneInfo` say what a program can do, instead of how Pyodide loads packages."""
    common = zoneinfo._common
    load = common.load_tzdata

    def load_tzdata(key):
        try:
            return load(key)
        except common.ZoneInfoNotFoundError as error:
            reason = "this sandbox has no time zones; use datetime.timezone and an offset"
            # Changes this error instead of raising another one, whose context would be shown too.
            error.args = (f"No time zone found with key {key}: {reason}",)
            error.__cause__ = None
            error.__suppress_context__ = True
            raise

    common.load_tzdata = load_tzdata


class _PyodideGuest(Guest):
    """A guest whose memory can be used up and never grows again. It also does the work of the process for files, so
    while a program runs, requests wait until the program waits.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._files = FileServer()
        self._outputs = None

    def serve(self):
        # Not when the snapshot is made: files that are in it do not count for the limit.
        self._outputs = OutputDirectory(os.environ.get("OUTPUT_DIR"))
        super().serve()

    def _serve_next(self):
        return _call_anew(super()._serve_next)

    def _on_line(self, line):
        _call_anew(self._handle, line)

    def _handle(self, line):
        content, frame = split_data(line)
        if is_frame(frame, FILE_REQUEST):
            self._channel.send(self._files.answer(content, frame))
        else:
            super()._on_line(line)

    def _run(self, code, filename):
        report = super()._run(code, filename)
        if report["error"] is not None and report["error"]["type"] == "MemoryError":
            # If there is not enough memory, this raises the error that leaves `serve`.
            bytearray(_NEEDED_BYTES)
        try:
            report["outputs"] = self._outputs.take()
        except Exception:
            # A program can change any function that is used there.
            report["outputs"] = None
        return report

    def warm_up(self):
        """Runs what every program runs, because V8 first has to compile it, which takes time."""
        self._evaluate("print(end='')", "<warm-up>")
        self._finish("<warm-up>")
        decode(encode(OUTCOME, {"execution_id": "1", "success": True, "value": None}), (OUTCOME,))
        self._prepare()


def serve(host_fd, wait_fd):
    """Runs programs as long as there is a supervisor. Raises MemoryError if programs have left too little memory."""
    global _spare_memory
    _remove_javascript()
    # Pyodide has its own loop, which it treats as always running.
    asyncio._set_running_loop(None)
    # All sandboxes start from the same snapshot, so without this all would get the same random numbers.
    random.seed()
    os.chdir(_DIRECTORY)
    sys.path[:] = [entry for entry in sys.path if entry]
    module_order.put_first(os.getcwd())
    sys.argv = [""]
    _channel.open(host_fd, wait_fd)
    _keep_spare_output()
    # The streams of Pyodide are of another type.
    sys.stdin = sys.stdout = sys.stderr = None
    # Other ones were open when the snapshot was made.
    _guest.open_files.note_own()
    _prepare_program()
    _spare_memory = bytearray(1 << 20)
    try:
        if not _channel.is_readable(_WARM_UP_AFTER):
            _guest.warm_up()
        _guest.serve()
    except MemoryError:
        # Frees memory for reporting the error.
        _spare_memory = None
        raise


def _remove_javascript():
    """Removes the interfaces to JavaScript except files. If a hostile program finds another, Deno's permissions limit
    it.
    """
    for name in list(sys.modules):
        if name.partition(".")[0] in _JAVASCRIPT_MODULES:
            sys.modules[name] = None
    for finder in list(sys.meta_path):
        if type(finder).__module__.startswith("_pyodide"):
            sys.meta_path.remove(finder)
            # The objects that it would return for `js` and `pyodide_js`.
            getattr(finder, "jsproxies", {}).clear()


def _keep_spare_output():
    global _spare_stdout, _spare_stderr
    _spare_stdout, _spare_stderr = os.dup(1), os.dup(2)


def _prepare_program():
    """Sets the streams and the interrupt for the next program, because the last one may have changed them."""
    os.dup2(_spare_stdout, 1)
    os.dup2(_spare_stderr, 2)
    renew_streams()
    _guest.interrupts.install()

"""The guest in a Deno worker: CPython compiled to WebAssembly, of which a snapshot is taken before it serves."""

import asyncio
import importlib
import os
import random
import sys
import time
import zoneinfo

# These two are loaded before the snapshot is taken, since nothing of the runner can be loaded later.
from . import device_loop, notebook, values  # noqa: F401
from .device_channel import DeviceChannel
from .frames import OUTCOME, decode, encode
from .guest import Guest
from .streams import renew_streams

VERSION = "%d.%d.%d" % sys.version_info[:3]

# What programs use most: in the snapshot these cost nothing, later tens of milliseconds each.
_PRELOADED = (
    "base64", "calendar", "collections", "contextlib", "copy", "csv", "dataclasses", "datetime",
    "decimal", "difflib", "enum", "fractions", "functools", "hashlib", "heapq", "html", "io",
    "itertools", "json", "math", "operator", "pathlib", "pprint", "random", "re", "statistics",
    "string", "tempfile", "textwrap", "traceback", "typing", "urllib.parse", "uuid", "zoneinfo",
)
# A sandbox that has a program when it starts gets it at once. One that has none by then is kept for later.
_REHEARSE_AFTER = 0.1
# A program that leaves less than this leaves too little for another, or even for word of its end.
_NEEDED_BYTES = 16 << 20
# Where programs run.
_DIRECTORY = "/tmp"
# The ways from Python to JavaScript.
_JAVASCRIPT_MODULES = ("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core")


def prepare():
    """All that can be done before the snapshot is taken."""
    global _channel, _guest
    # Only the runner is there, and it is loaded.
    sys.path.pop()
    for name in _PRELOADED:
        importlib.import_module(name)
    _channel = DeviceChannel()
    device_loop.install(_channel)
    time.sleep = _channel.sleep
    _explain_missing_zones()
    _guest = _PyodideGuest(_channel, _prepare_program, f"{_DIRECTORY}/program.py")


def _explain_missing_zones():
    """Has `ZoneInfo` say what a program can do, and not how Pyodide loads packages."""
    common = zoneinfo._common
    load = common.load_tzdata

    def load_tzdata(key):
        try:
            return load(key)
        except common.ZoneInfoNotFoundError as error:
            reason = "this sandbox has no time zones; use datetime.timezone and an offset"
            # Not another one, whose context would be shown too.
            error.args = (f"No time zone found with key {key}: {reason}",)
            error.__cause__ = None
            error.__suppress_context__ = True
            raise

    common.load_tzdata = load_tzdata


class _PyodideGuest(Guest):
    """A guest whose memory may be used up and never grows again."""

    def _run(self, code, filename):
        report = super()._run(code, filename)
        if report["error"] is not None and report["error"]["type"] == "MemoryError":
            # Comes out of `serve` where there is not enough.
            bytearray(_NEEDED_BYTES)
        return report

    def rehearse(self):
        """Runs what every program runs: the engine compiles what it has not run yet, which takes longer."""
        self._evaluate("print(end='')", "<rehearsal>")
        self._finish()
        decode(encode(OUTCOME, {"execution_id": "1", "success": True, "value": None}), (OUTCOME,))
        self._prepare()


def serve(host_fd, wait_fd):
    """Runs programs for as long as there is a supervisor. Raises MemoryError where programs have left too little."""
    global _spare_memory
    _remove_javascript()
    # Pyodide has a loop of its own, which it counts as always running.
    asyncio._set_running_loop(None)
    # Every sandbox comes from one snapshot: without this all would draw the same numbers.
    random.seed()
    os.chdir(_DIRECTORY)
    sys.path[:] = [*(entry for entry in sys.path if entry), os.getcwd()]
    sys.argv = [""]
    _channel.open(host_fd, wait_fd)
    _keep_spare_output()
    # The loader's own are of another kind.
    sys.stdin = sys.stdout = sys.stderr = None
    _prepare_program()
    _spare_memory = bytearray(1 << 20)
    try:
        if not _channel.is_readable(_REHEARSE_AFTER):
            _guest.rehearse()
        _guest.serve()
    except MemoryError:
        # For word of it.
        _spare_memory = None
        raise


def _remove_javascript():
    """Leaves a program no interface to JavaScript but files. What a hostile one digs up again, Deno's permissions bound."""
    for name in list(sys.modules):
        if name.partition(".")[0] in _JAVASCRIPT_MODULES:
            sys.modules[name] = None
    for finder in list(sys.meta_path):
        if type(finder).__module__.startswith("_pyodide"):
            sys.meta_path.remove(finder)
            # What it would give for `js` and `pyodide_js`.
            getattr(finder, "jsproxies", {}).clear()


def _keep_spare_output():
    global _spare_stdout, _spare_stderr
    _spare_stdout, _spare_stderr = os.dup(1), os.dup(2)


def _prepare_program():
    """Gives a program its streams and its interrupt, whatever the one before did to them."""
    os.dup2(_spare_stdout, 1)
    os.dup2(_spare_stderr, 2)
    renew_streams()
    _guest.interrupts.install()

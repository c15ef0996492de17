"""Starts a module of the output of `compile.py`.

The interpreter gets this file by `-c`, the compiled modules on descriptor 4, and the name of the module to start; after
`--` come the arguments of that module.
"""

import os
import sys
from marshal import loads

_CODES = 4


def _read_codes():
    version, codes = loads(b"".join(iter(lambda: os.read(_CODES, 1 << 20), b"")))
    if version != sys.hexversion:
        sys.exit("The machine's Python was updated after the first sandbox was started. Restart the host process.")
    return codes


def _close_inherited():
    """Closes descriptors that the host passed on by mistake. `bwrap` would pass them on to
    programs.
    """
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2:
                os.close(int(name))
        except OSError:
            # The descriptor that listed the directory.
            pass


def _load(name):
    return loads(codes[name])


codes = _read_codes()
_close_inherited()
finder = {"__name__": "ptc_runner.finder"}
exec(_load("ptc_runner.finder"), finder)
finder["start"](sys.argv[1], sys.argv[3:], codes, _load)

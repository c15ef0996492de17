"""Starts the supervisor, and ends the sandbox with it."""

import os

import _signal as signal

from ..shared import processes
from . import system
from .supervisor import GuestGone, HostGone, Supervisor


def main(arguments):
    """Runs until the host or a guest is gone."""
    supervisor = Supervisor(_read_interpreters(arguments))
    status = 0
    try:
        # After the fork: guests can be debugged, and load their modules meanwhile.
        system.protect()
        supervisor.run()
    except (HostGone, GuestGone, BrokenPipeError):
        pass
    except BaseException as error:
        # The host reads any line that is not a frame as the end, so it gets the reason.
        status = 1
        system.write_all(2, f"the supervisor failed: {error!r}\n".encode())
    finally:
        processes.send_all(signal.SIGKILL)
        os._exit(status)


def _read_interpreters(arguments):
    """Returns, for each interpreter, its languages, the command that must be installed, and its command line; None
    for Python itself. On the command line, the length comes first: `python '' 0 bash bash 2 python3 -I`.
    """
    arguments = iter(arguments)
    interpreters = []
    for languages in arguments:
        program = next(arguments)
        command = [next(arguments) for _ in range(int(next(arguments)))]
        interpreters.append((languages.split(","), program, command or None))
    return interpreters

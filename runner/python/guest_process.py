"""The guest as a process beside its supervisor: signals, streams, the modules that programs expect."""

import os
import site
import sys

import _signal as signal

from .channel import PipeChannel
from .first_imports import on_first_import
from .guest import Guest
from .streams import renew_streams


# A sandbox that has a program when it starts gets it at once. One that has none by then is kept for later.
_PRELOAD_AFTER = 0.1
# What programs use most and what is slow to load.
_PRELOADED = ("asyncio", "collections", "datetime", "json", "re", "traceback", "typing")


def main(message_read, message_write, spare_stdout, spare_stderr):
    """Runs programs until the supervisor is gone."""
    # The supervisor started without site-packages, `exit` and `help`, to be quick.
    site.main()
    # A module that a program wrote can be imported, and can stand in the way of no other.
    sys.path.append(os.getcwd())
    sys.argv = [""]

    def prepare():
        """Gives a program its streams and its interrupt, whatever the one before did to them."""
        os.dup2(spare_stdout, 1)
        os.dup2(spare_stderr, 2)
        renew_streams()
        guest.interrupts.install()

    sys.stdin = sys.stdout = sys.stderr = None
    channel = PipeChannel(message_read, message_write)
    program_file = os.path.join(os.getcwd(), "program.py")
    guest = Guest(channel, prepare, program_file)
    on_first_import("multiprocessing.context", lambda: _adapt_multiprocessing(program_file))
    prepare()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if not channel.is_readable(_PRELOAD_AFTER):
        for name in _PRELOADED:
            __import__(name)
    guest.serve()


def _adapt_multiprocessing(program_file):
    # Seldom needed.
    from .parallel import adapt_multiprocessing

    adapt_multiprocessing(program_file)

"""The guest as a process: its signals, streams, and the modules that programs expect."""

import os
import site
import sys

import _signal as signal

from . import module_order
from .channel import PipeChannel
from .first_imports import on_first_import
from .guest import Guest
from .streams import renew_streams


# A sandbox that got no program for so long is kept for later, and loads modules in advance: 35 ms of processor time and 6 MB.
# The host of a new pod needs more than a second to connect.
_PRELOAD_AFTER = 2
# Modules that programs often use and that load slowly.
_PRELOADED = ("asyncio", "collections", "datetime", "json", "re", "traceback", "typing")


def main(message_read, message_write, spare_stdout, spare_stderr):
    """Runs programs until the supervisor is gone."""
    # To be fast, the supervisor started without site-packages, `exit` and `help`.
    site.main()
    module_order.put_first(os.getcwd())
    sys.argv = [""]

    def prepare():
        """Sets the streams and the interrupt for the next program, because the last one may have changed them."""
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
    # Rarely needed.
    from .concurrency.parallel import adapt_multiprocessing

    adapt_multiprocessing(program_file)

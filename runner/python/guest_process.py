"""The guest as a process beside its supervisor: signals, streams, the modules that programs expect."""

import os
import signal
import site
import sys

from .channel import PipeChannel
from .guest import Guest, open_output


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
        _renew("stdin", lambda: open(os.devnull))
        _renew("stdout", lambda: open_output(1))
        _renew("stderr", lambda: open_output(2))
        signal.signal(signal.SIGINT, lambda *_: guest.interrupt())

    sys.stdin = sys.stdout = sys.stderr = None
    guest = Guest(PipeChannel(message_read, message_write), prepare)
    prepare()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    guest.serve()


def _renew(name, open_stream):
    """Makes a standard stream anew where the program closed it, or put another in its place.

    One that was replaced is not used again: a stream around it closes it when it goes.
    """
    stream = getattr(sys, name)
    if stream is None or stream is not getattr(sys, f"__{name}__") or not _is_open(stream):
        stream = open_stream()
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _is_open(stream):
    try:
        return not stream.closed
    except ValueError:
        # Its buffer was detached.
        return False

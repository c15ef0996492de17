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
        # New ones: `exit()` closes the input, and a stream around one of ours closes it when it goes.
        sys.stdin = sys.__stdin__ = open(os.devnull)
        sys.stdout = sys.__stdout__ = open_output(1)
        sys.stderr = sys.__stderr__ = open_output(2)
        signal.signal(signal.SIGINT, lambda *_: guest.interrupt())

    guest = Guest(PipeChannel(message_read, message_write), prepare)
    prepare()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    guest.serve()

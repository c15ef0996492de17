"""Process 1 of the sidecar: the container of a pod in which no program runs."""

import os
import signal
import socket

from .runner_streams import hand_over
from .sidecar import Sidecar

_BACKLOG = 8


def main(arguments):
    """Takes the abstract name under which the runner asks for its streams, its user, the path of the socket for relays,
    and how many seconds the runner lives without a host.
    """
    name, user, path, patience = arguments
    # Process 1 ignores signals that it does not handle.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(_BACKLOG)
    Sidecar(hand_over(name, int(user)), listener, float(patience)).run()

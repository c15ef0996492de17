"""Process 1 of the sidecar: the container of a pod in which no program runs."""

import os
import sys

# `signal` loads 13 modules more.
import _signal as signal

from .patience import Patience
from .runner_streams import hand_over
from .sidecar import Sidecar
from .unix_sockets import listen

_BACKLOG = 8
_CHUNK = 1 << 16


def main(arguments):
    """Takes the abstract name under which the runner asks for its streams, its user, the path of the socket for relays,
    what `Patience` takes, and addresses that must not be reached, beside those of the cluster.
    """
    name, user, path, seconds, host_seconds, unclaimed_seconds, session_file, *addresses = arguments
    # Process 1 ignores signals that it does not handle.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    listener = listen(path, _BACKLOG)
    patience = Patience(float(seconds), float(host_seconds), float(unclaimed_seconds), session_file)
    streams, description, counters = hand_over(name, int(user))
    # The runner starts meanwhile. A host is welcome only afterwards, so no program runs before.
    Sidecar(streams, listener, patience, _facts(description, addresses), counters).run()


def _facts(description, addresses):
    """Returns what hosts are told of the pod. A child finds it out: what it loads for that would take two megabytes here as
    long as the pod lives.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        from .facts import find

        with open(writing, "wb") as output:
            output.write(find(description, addresses))
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as facts:
        found = facts.read()
    if os.waitpid(child, 0)[1] != 0:
        # The child has said why.
        sys.exit(1)
    return found

"""Process 1 of the sidecar: the container of a pod in which no program runs."""

import json
import os
import signal
import socket

from .network import cluster_addresses, reached
from .patience import Patience
from .runner_streams import hand_over
from .sidecar import Sidecar

_BACKLOG = 8


# So long, a NetworkPolicy may take to come into force.
_NETWORK_PATIENCE = 10


def main(arguments):
    """Takes the abstract name under which the runner asks for its streams, its user, the path of the socket for relays,
    what `Patience` takes, and addresses that must not be reached, beside those of the cluster.
    """
    name, user, path, seconds, host_seconds, unclaimed_seconds, session_file, *others = arguments
    # Process 1 ignores signals that it does not handle.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(_BACKLOG)
    patience = Patience(float(seconds), float(host_seconds), float(unclaimed_seconds), session_file)
    streams, description, counters = hand_over(name, int(user))
    # The runner starts meanwhile. A host is welcome only afterwards, so no program runs before.
    addresses = [*cluster_addresses(), *((host, int(port)) for host, _, port in (o.rpartition(":") for o in others))]
    facts = {"code": json.loads(description or b"null"), "reached": reached(addresses, _NETWORK_PATIENCE)}
    description = json.dumps(facts).encode()
    Sidecar(streams, listener, patience, description, counters).run()

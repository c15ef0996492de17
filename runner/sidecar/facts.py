"""What hosts are told of a pod."""

import json

from .network import cluster_addresses, reached

# So long, a NetworkPolicy may take to come into force.
_NETWORK_PATIENCE = 10


def find(description, others):
    """Returns, as JSON, what the other container says of itself, and which addresses the pod reaches: of those of the
    cluster, and of `others`.
    """
    addresses = [*cluster_addresses(), *((host, int(port)) for host, _, port in (o.rpartition(":") for o in others))]
    return json.dumps({"code": json.loads(description or b"null"), "reached": reached(addresses, _NETWORK_PATIENCE)}).encode()

"""Finds out whether the pod's network reaches anything. A NetworkPolicy that nothing enforces looks like any other."""

import ipaddress
import os
import select
import socket
import time

_KUBELET_PORT = 10250
_DNS_PORT = 53
# By convention, the DNS service has the tenth address of the network of which the API server has the first.
_DNS_OFFSET = 9

# What is tried is near, and answers much sooner. If packets are dropped, each pod waits this long.
_ANSWER = 1
_PAUSE = 0.2


def cluster_addresses():
    """Yields the addresses of the API server, the DNS service and the node: pairs of a host and a port."""
    server = os.environ.get("KUBERNETES_SERVICE_HOST")
    if server is not None and _is_address(server):
        yield server, int(os.environ.get("KUBERNETES_SERVICE_PORT", "443"))
        yield str(ipaddress.ip_address(server) + _DNS_OFFSET), _DNS_PORT
    node = os.environ.get("NODE_ADDRESS")
    # A loopback address leads to the pod itself.
    if node and not ipaddress.ip_address(node).is_loopback:
        yield node, _KUBELET_PORT


def _is_address(server):
    """A kubelet gives an address. Some clusters put a name in its place, which nothing here resolves: such a pod must only
    start, so that its host can say that its variables are not as asked for.
    """
    try:
        ipaddress.ip_address(server)
    except ValueError:
        return False
    return True


def reached(addresses, patience):
    """Tries addresses until none answers, because a policy comes into force a moment after a pod has started. Returns
    those that still answer after `patience` seconds.
    """
    deadline = time.monotonic() + patience
    while True:
        answered = _try(addresses)
        if not answered or time.monotonic() >= deadline:
            return answered
        time.sleep(_PAUSE)


def _try(addresses):
    """Returns the addresses to which a connection can be made."""
    waiting = {}
    poll = select.poll()
    for address in addresses:
        attempt = socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET, socket.SOCK_STREAM)
        attempt.setblocking(False)
        # If there is no way to it, this fails at once.
        attempt.connect_ex(address)
        waiting[attempt.fileno()] = (attempt, address)
        poll.register(attempt, select.POLLOUT)
    answered = []
    deadline = time.monotonic() + _ANSWER
    while waiting:
        events = poll.poll(max(0, deadline - time.monotonic()) * 1000)
        if not events:
            break
        for descriptor, _ in events:
            poll.unregister(descriptor)
            attempt, (host, port) = waiting.pop(descriptor)
            with attempt:
                # Some policies refuse connections. Something listens on each address, so a refusal is not its answer.
                if _is_connected(attempt):
                    answered.append(f"{host}:{port}")
    for attempt, _ in waiting.values():
        attempt.close()
    return answered


def _is_connected(attempt):
    try:
        attempt.getpeername()
    except OSError:
        return False
    return True

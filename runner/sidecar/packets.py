"""The packets between a host and the sidecar. The host's side is `src/providers/kubernetes/streams/packets.ts`.

A packet is a letter, the length of its body in four bytes, and the body. Numbers have eight bytes; the most significant
byte comes first.

From the host:
    H  the version of the packets, the host's epoch, and how many bytes of output it has received
    D  bytes of the runner's input
    A  how many bytes of output it has received, all in all
    P  is answered with the same packet
    M  asks for the memory that the runner and its programs use
From the sidecar:
    F  what is known of the pod, as JSON; comes before W
    W  the answer to H: how many bytes of input it has received
    R  instead of W: why the host is refused, as text
    O  bytes of the runner's standard output
    E  bytes of its standard error
    A  how many bytes of input the runner has taken, all in all
    P  the answer to P
    M  the answer to M, in bytes; nothing if it is not known
    X  the runner has ended, and everything that it wrote was sent; the sidecar ends when the host confirms it
"""

import struct

VERSION = 1

_HEAD = struct.Struct("!cI")
_NUMBER = struct.Struct("!Q")
_HELLO = struct.Struct("!QQQ")

# So much may be on its way in each direction without being confirmed.
WINDOW = 1 << 20
# The longest body, apart from what is read from a pipe at once.
LONGEST = 1 << 16


class PacketError(Exception):
    """What arrived is not a packet that a host sends."""


def packet(kind, body=b""):
    """Returns the bytes of a packet."""
    return _HEAD.pack(kind, len(body)) + body


def number(value):
    """Returns the body of a packet that has one number."""
    return _NUMBER.pack(value)


def read_number(body):
    """Returns the number in a body."""
    return _unpack(_NUMBER, body)[0]


def read_hello(body):
    """Returns the version, the epoch and the number of bytes in the body of H."""
    return _unpack(_HELLO, body)


def _unpack(form, body):
    if len(body) != form.size:
        raise PacketError(f"a body has {len(body)} bytes instead of {form.size}")
    return form.unpack(body)


class PacketReader:
    """Finds the packets in a stream of bytes."""

    def __init__(self):
        self._bytes = bytearray()

    def push(self, data):
        """Takes the next bytes, and returns the packets that are complete: pairs of kind and body."""
        self._bytes += data
        found = []
        start = 0
        while len(self._bytes) - start >= _HEAD.size:
            kind, length = _HEAD.unpack_from(self._bytes, start)
            if length > LONGEST:
                raise PacketError(f"a packet has {length} bytes; at most {LONGEST} are allowed")
            end = start + _HEAD.size + length
            if len(self._bytes) < end:
                break
            found.append((kind, bytes(self._bytes[start + _HEAD.size : end])))
            start = end
        del self._bytes[:start]
        return found

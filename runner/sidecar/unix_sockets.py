"""Sockets that pass descriptors on to other processes."""

# `socket` loads twenty modules more. A sidecar would keep a megabyte for them as long as its pod lives.
import _socket
import struct

_DESCRIPTOR = struct.calcsize("i")
_CREDENTIALS = struct.Struct("3i")


def listen(address, backlog):
    """Returns a socket that listens at a path, or under an abstract name, which begins with a NUL."""
    listener = _new()
    listener.bind(address)
    listener.listen(backlog)
    return listener


def accept(listener):
    """Waits for a connection, and returns its socket."""
    descriptor, _ = listener._accept()
    return _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, descriptor)


def connect(address):
    """Returns a connection. Raises ConnectionRefusedError if nobody listens."""
    connection = _new()
    try:
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def user_of(connection):
    """Returns the id of the user of the other process."""
    credentials = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _CREDENTIALS.size)
    return _CREDENTIALS.unpack(credentials)[1]


def send(connection, data, descriptors):
    """Sends bytes, and hands over descriptors with them."""
    rights = struct.pack(f"{len(descriptors)}i", *descriptors)
    connection.sendmsg([data], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)] if descriptors else [])


def receive(connection, length, most):
    """Returns at most `length` bytes that have arrived, and at most `most` descriptors that were handed over with them."""
    data, messages, _, _ = connection.recvmsg(length, _socket.CMSG_LEN(most * _DESCRIPTOR))
    descriptors = []
    for level, kind, rights in messages:
        if (level, kind) == (_socket.SOL_SOCKET, _socket.SCM_RIGHTS):
            descriptors += struct.unpack_from(f"{len(rights) // _DESCRIPTOR}i", rights)
    return data, descriptors


def receive_all(connection, length):
    """Returns what arrives until the other process closes the connection. Reads `length` bytes at a time."""
    return b"".join(iter(lambda: connection.recv(length), b""))


def _new():
    return _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)

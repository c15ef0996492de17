"""The runner's standard streams, which the sidecar makes and hands over to the other container."""

import os

from .unix_sockets import accept, listen, receive, receive_all, send, user_of
from .unix_sockets import connect as connect_to

_CHUNK = 1 << 16
_MOST_COUNTERS = 2


class RunnerStreams:
    """The sidecar's ends of the three pipes. It writes to `input` and reads `output` and `error`."""

    def __init__(self, input, output, error):
        self.input = input
        self.output = output
        self.error = error


def hand_over(name, user):
    """Gives a process of `user` the runner's ends of three pipes. Returns the others, and what the process says of its
    container. The process asks for them under an abstract name, because the containers of a pod share a network. Nobody
    can ask afterwards, and the runner starts only then, so no program can take its place. Last, returns the descriptors
    that the process hands over in turn.
    """
    listener = listen("\0" + name, 1)
    connection = _accept(listener, user)
    listener.close()
    input_read, input_write = os.pipe()
    output_read, output_write = os.pipe()
    error_read, error_write = os.pipe()
    theirs = [input_read, output_write, error_write]
    send(connection, b"x", theirs)
    for descriptor in theirs:
        os.close(descriptor)
    begin, counters = receive(connection, _CHUNK, _MOST_COUNTERS)
    description = begin + receive_all(connection, _CHUNK)
    connection.close()
    os.set_blocking(input_write, False)
    return RunnerStreams(input_write, output_read, error_read), description, counters


def connect(name, user):
    """Returns the connection to a process of `user` that listens under this name, and the descriptors that it hands over.
    None if it is not there yet.
    """
    try:
        connection = connect_to("\0" + name)
    except ConnectionRefusedError:
        return None
    if user_of(connection) != user:
        raise PermissionError(f"the streams come from user {user_of(connection)}, not {user}")
    descriptors = receive(connection, 1, 3)[1]
    if len(descriptors) != 3:
        raise ConnectionError(f"{len(descriptors)} streams were handed over, not 3")
    return connection, descriptors


def _accept(listener, user):
    while True:
        connection = accept(listener)
        if user_of(connection) == user:
            return connection
        connection.close()

"""What a host starts in the sidecar's container to connect: gives its own input and output to the sidecar."""

import os
import socket


def main(arguments):
    """Takes the path of the sidecar's socket. Ends when the sidecar no longer needs the connection."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(arguments[0])
    socket.send_fds(connection, [b"x"], [0, 1])
    # The sidecar alone has them now, so that it sees their end.
    os.close(0)
    os.close(1)
    connection.recv(1)

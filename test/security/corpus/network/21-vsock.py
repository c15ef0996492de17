import errno
import socket


def attempt(action):
    try:
        return f"allowed: {action()!r}"
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)



AF_VSOCK = 40
for name, kind in (("stream", socket.SOCK_STREAM), ("datagram", socket.SOCK_DGRAM), ("packets", socket.SOCK_SEQPACKET)):
    print(name, attempt(lambda: socket.socket(AF_VSOCK, kind)))

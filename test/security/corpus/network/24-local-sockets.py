import errno
import socket


def attempt(action):
    try:
        return f"allowed: {action()!r}"
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)



server = socket.socket(socket.AF_UNIX)
print("abstract", attempt(lambda: server.bind("\0meet")))
print("file", attempt(lambda: server.bind("/tmp/meet")))
print("listen", attempt(lambda: server.listen()))
print("connect", attempt(lambda: socket.socket(socket.AF_UNIX).connect("\0meet")))

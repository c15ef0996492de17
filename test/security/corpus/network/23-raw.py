import errno
import socket


def attempt(action):
    try:
        return f"allowed: {action()!r}"
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)



AF_PACKET, AF_XDP, AF_ALG, AF_NETLINK = 17, 44, 38, 16
print("packets", attempt(lambda: socket.socket(AF_PACKET, socket.SOCK_RAW)))
print("raw", attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)))
print("XDP", attempt(lambda: socket.socket(AF_XDP, socket.SOCK_RAW)))
print("ALG", attempt(lambda: socket.socket(AF_ALG, socket.SOCK_SEQPACKET)))
print("netlink", attempt(lambda: socket.socket(AF_NETLINK, socket.SOCK_RAW)))

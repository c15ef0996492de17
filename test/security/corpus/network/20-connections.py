import socket


def attempt(action):
    try:
        return f"allowed: {action()!r}"
    # Before Python 3.10, this is not the TimeoutError that the system reports.
    except (TimeoutError, socket.timeout):
        return "no answer"
    except OSError:
        return "refused"


def datagram(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", (address, 53))
        sender.settimeout(3)
        return sender.recv(1)


print("TCP", attempt(lambda: socket.create_connection(("1.1.1.1", 443), 3)))
print("UDP", attempt(lambda: datagram("1.1.1.1")))
print("IPv6", attempt(lambda: socket.create_connection(("2606:4700:4700::1111", 443), 3)))
print("metadata", attempt(lambda: socket.create_connection(("169.254.169.254", 80), 3)))
print("the engine's gateway", attempt(lambda: socket.create_connection(("172.17.0.1", 2375), 3)))
print("loopback", attempt(lambda: socket.create_connection(("127.0.0.1", 22), 3)))

import socket
import time

started = time.monotonic()
for name in ("example.com", "metadata.google.internal", "host.docker.internal"):
    try:
        print(name, socket.getaddrinfo(name, 80))
    except OSError as error:
        print(name, type(error).__name__)
print(time.monotonic() - started < 2)

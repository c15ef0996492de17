import os
import socket

# A resolver that waits for an answer waits longer than the program may run.
os.environ["RES_OPTIONS"] = "timeout:30 attempts:5"
for name in ("example.com", "metadata.google.internal", "host.docker.internal"):
    try:
        print(name, socket.getaddrinfo(name, 80))
    except OSError as error:
        print(name, type(error).__name__)

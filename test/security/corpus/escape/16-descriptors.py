import os
import socket

kinds = []
for name in os.listdir("/proc/self/fd"):
    try:
        kinds.append((int(name), os.readlink(f"/proc/self/fd/{name}")))
    except OSError:
        pass  # The one that listed the directory.
known = ("pipe:", "socket:", "anon_inode:[eventpoll]")
print("others", sorted(kind for _, kind in kinds if not kind.startswith(known)))
for number, kind in kinds:
    if kind.startswith("socket:"):
        pair = socket.socket(fileno=os.dup(number))
        print(pair.family.name, repr(pair.getsockname()), repr(pair.getpeername()))
print("few", len(kinds) < 16)

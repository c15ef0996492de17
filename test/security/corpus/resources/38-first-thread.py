import ctypes
import os
import platform
import threading
import time

libc = ctypes.CDLL(None)
EXIT = 60 if platform.machine() == "x86_64" else 93


def hoard():
    kept = []
    for _ in range(40):
        kept.append(b"x" * (16 << 20))
        time.sleep(0.02)
    time.sleep(60)
    os._exit(0)


child = os.fork()
if child == 0:
    threading.Thread(target=hoard).start()
    libc.syscall(EXIT, 0)
print(os.WTERMSIG(os.waitpid(child, 0)[1]))

import ctypes
import os
import time

libc = ctypes.PyDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
LIMIT = 256 << 20
STEP = 2 << 20

ready, into = os.pipe()
# To look at many processes takes long.
for _ in range(40):
    if os.fork() == 0:
        os.close(into)
        time.sleep(60)
        os._exit(0)
# Each process passes its pages on to a child and ends, so that no process is there for long.
if os.fork() == 0:
    start = libc.mmap(None, 3 * LIMIT, 3, 0x4022, -1, 0)
    held = 0
    full_since = None
    # By what it holds, and not by the clock alone: on a slow machine it takes long to hold anything.
    while full_since is None or time.monotonic() - full_since < 60:
        if held < 3 * LIMIT:
            libc.memset(start + held, 1, STEP)
            held += STEP
        elif full_since is None:
            full_since = time.monotonic()
        if os.fork() != 0:
            os._exit(0)
    os.write(into, b"held to the end")
    os._exit(0)
os.close(into)
print(os.read(ready, 100))

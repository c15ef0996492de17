import os
import socket

print("so far", flush=True)
PAGE = 4096
file = os.open("/tmp/file", os.O_RDWR | os.O_CREAT)
held = 0
kept = []
while held < 512 << 20:
    pair = socket.socketpair()
    kept.append(pair)
    pair[0].setblocking(False)
    try:
        while True:
            os.ftruncate(file, 0)
            os.pwrite(file, b"x" * PAGE * 15, 0)
            output, into = os.pipe()
            for index in range(15):
                os.splice(file, into, 1, offset_src=index * PAGE)
            os.splice(output, pair[0].fileno(), 15)
            held += PAGE * 15
            os.close(output)
            os.close(into)
    except BlockingIOError:
        os.close(output)
        os.close(into)
print("held")

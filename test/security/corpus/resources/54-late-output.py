# In its own session it may: programs of one session are not isolated from each other.
import os
import time

if os.fork() == 0:
    os.setsid()
    while True:
        time.sleep(0.05)
        os.write(1, b"late\n")
print("ended")

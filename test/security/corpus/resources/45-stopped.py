import os
import signal

print("so far", flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
print("went on")

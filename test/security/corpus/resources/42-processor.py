import os
import time

started = time.monotonic()
for _ in range(8):
    if os.fork() == 0:
        while time.monotonic() - started < 2:
            pass
        os._exit(0)
for _ in range(8):
    os.wait()
elapsed = time.monotonic() - started
times = os.times()
used = times.children_user + times.children_system
# Half a processor is allowed; eight children on two would take up to four times that.
print(used / elapsed < 0.7)

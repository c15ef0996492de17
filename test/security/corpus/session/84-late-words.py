import time

try:
    time.sleep(60)
except KeyboardInterrupt:
    print("stale")
    raise

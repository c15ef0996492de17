import os
import time

try:
    while True:
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
except BlockingIOError:
    print("full", await echo(value=1))

import os
import time

children = []
try:
    while True:
        child = os.fork()
        if child == 0:
            time.sleep(600)
            os._exit(0)
        children.append(child)
except BlockingIOError:
    print("full")

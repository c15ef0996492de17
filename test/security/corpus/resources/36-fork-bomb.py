import os
import time

children = []
try:
    while len(children) < 200:
        child = os.fork()
        if child == 0:
            time.sleep(600)
            os._exit(0)
        children.append(child)
except BlockingIOError:
    print("refused")
print(40 < len(children) < 64)
for child in children:
    os.kill(child, 9)
    os.waitpid(child, 0)

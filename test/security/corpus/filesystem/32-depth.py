import os
import time

depth = 0
started = time.monotonic()
try:
    while depth <= 10 or (depth < 2_500 and time.monotonic() - started < 2):
        os.mkdir("d")
        os.chdir("d")
        depth += 1
except OSError as error:
    print(type(error).__name__)
print(depth > 10)
os.chdir("/tmp")

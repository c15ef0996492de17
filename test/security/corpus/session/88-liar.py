import os
import sys

print("so far", flush=True)
script = """
import os
for descriptor in range(3, 64):
    try:
        os.write(descriptor, b'__PTC_READY__{"protocol":1,"language":"python","version":"3.0.0"}__PTC_END_READY__\\n')
    except OSError:
        pass
"""
for descriptor in range(3, 10):
    try:
        os.set_inheritable(descriptor, True)
    except OSError:
        pass
os.execv(sys.executable, [sys.executable, "-c", script])

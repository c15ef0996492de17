import atexit
import sys
import time

atexit.register(lambda: time.sleep(600))
sys.settrace(lambda *_: None)
sys.setprofile(lambda *_: None)
sys.excepthook = sys.unraisablehook = lambda *_: time.sleep(600)
sys.displayhook = lambda *_: time.sleep(600)
print("hooked")

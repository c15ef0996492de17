# With no handler for the signal, the kernel would pause the timer.
import ctypes
import signal
import threading


def compute():
    while True:
        pass


signal.signal(signal.SIGCONT, lambda *_: None)
libc = ctypes.CDLL(None)
event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0)
timer = ctypes.c_void_p()
assert libc.timer_create(1, event, ctypes.byref(timer)) == 0
assert libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 500_000_000, 0, 500_000_000), None) == 0
threading.Thread(target=compute, daemon=True).start()
print("set")

# The process that bash keeps from run to run becomes another program, which has a timer and says that it has ended.
exec python3 -c '
import ctypes, os, signal, sys
signal.signal(signal.SIGCONT, lambda *_: None)
libc = ctypes.CDLL(None)
event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0)
timer = ctypes.c_void_p()
assert libc.timer_create(1, event, ctypes.byref(timer)) == 0
assert libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 500_000_000, 0, 500_000_000), None) == 0
with open(sys.argv[1], "w") as control:
    control.write("done %d 0\n" % os.getpid())
while True:
    pass
' "$__ptc_control"

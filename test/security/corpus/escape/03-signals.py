import os
import signal

for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV, signal.SIGALRM, signal.SIGUSR1):
    try:
        os.kill(1, number)
        print(number.name, "sent")
    except OSError as error:
        print(number.name, error.errno)
print("still here")

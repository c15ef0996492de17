import errno
import os

opened = []
outcome = "no error"
for path in ("/dev/ptmx", "/dev/pts/ptmx"):
    try:
        while len(opened) < 120:
            opened.append(os.open(path, os.O_RDWR | getattr(os, "O_NOCTTY", 0)))
    except OSError as error:
        outcome = errno.errorcode[error.errno]
print("opened", len(opened), outcome)
for descriptor in opened:
    os.close(descriptor)
try:
    import pty

    pty.openpty()
    print("pty: opened")
except Exception as error:
    print("pty:", type(error).__name__)

import errno
import os
import signal

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open("/tmp/sparse", "wb") as file:
    try:
        file.truncate(1 << 40)
        print("allowed")
    except OSError as error:
        print(errno.errorcode[error.errno] in ("EFBIG", "ENOSPC"))
os.remove("/tmp/sparse")

import errno
import os
import stat


def attempt(action):
    try:
        return f"allowed: {action()!r}"
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)



print("character", attempt(lambda: os.mknod("/tmp/null", 0o600 | stat.S_IFCHR, os.makedev(1, 3))))
print("block", attempt(lambda: os.mknod("/tmp/disk", 0o600 | stat.S_IFBLK, os.makedev(8, 0))))
print("fifo", attempt(lambda: os.mkfifo("/tmp/fifo")))

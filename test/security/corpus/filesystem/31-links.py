import errno
import os


def attempt(action):
    try:
        return f"allowed: {action()!r}"
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)



os.symlink("/proc/1/mem", "/tmp/memory")
os.symlink("/etc/shadow", "/tmp/shadow")
os.symlink("/", "/tmp/root")
print("memory", attempt(lambda: open("/tmp/memory", "rb")))
print("shadow", attempt(lambda: open("/tmp/shadow", "rb")))
print("root", attempt(lambda: open("/tmp/root/new", "w")))
print("hard link", attempt(lambda: os.link("/etc/passwd", "/tmp/passwd")))
print("loop", attempt(lambda: (os.symlink("loop", "/tmp/loop"), open("/tmp/loop"))))

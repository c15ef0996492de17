import errno
import os


def attempt(action):
    try:
        return f"allowed: {action()!r}"
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)



for path in ("/file", "/etc/passwd", "/usr/bin/new", "/opt/new", "/home/new", "/root/new", "/var/tmp/new", "/run/new", "/dev/new"):
    print(path, attempt(lambda: open(path, "a").close()) in ("EROFS", "EACCES", "ENOENT"))
writable = []
for directory, directories, _ in os.walk("/"):
    if directory in ("/proc", "/sys", "/tmp"):
        directories.clear()
    elif os.access(directory, os.W_OK):
        writable.append(directory)
print(writable)

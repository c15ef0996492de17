import errno
import os


def attempt(action):
    try:
        return f"allowed: {action()!r}"
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)


def writable_mounts():
    """The kernel refuses a write to any other, and the machine's own files are too many to look at."""
    with open("/proc/self/mountinfo") as mounts:
        for mount in mounts:
            fields, _, described = mount.partition(" - ")
            path, options = fields.split()[4:6]
            if "ro" not in options.split(",") + described.split()[2].split(","):
                yield path.encode().decode("unicode_escape")


for path in ("/file", "/etc/passwd", "/usr/bin/new", "/opt/new", "/home/new", "/root/new", "/var/tmp/new", "/run/new", "/dev/new"):
    print(path, attempt(lambda: open(path, "a").close()) in ("EROFS", "EACCES", "ENOENT"))
writable = []
for mount in writable_mounts():
    for directory, directories, _ in os.walk(mount):
        if directory in ("/proc", "/sys", "/tmp", "/dev/shm"):
            directories.clear()
        elif os.access(directory, os.W_OK):
            writable.append(directory)
print(writable)

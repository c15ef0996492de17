import errno
import os


def attempt(action):
    try:
        return f"allowed: {action()!r}"
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)



places = []
for directory, directories, files in os.walk("/dev"):
    if directory == "/dev/shm":
        # It counts with /tmp: see 28-shared-memory.
        continue
    for name in ("hoard",):
        path = os.path.join(directory, name)
        outcome = attempt(lambda: open(path, "xb").write(bytes(1 << 16)))
        if outcome.startswith("allowed"):
            places.append(path)
print(places)

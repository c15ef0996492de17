import errno
import os


def attempt(action):
    try:
        return f"allowed: {action()!r}"
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)



def make(path):
    with open(path, "x"):
        return "made"


print("shm", attempt(lambda: make("/dev/shm/meet")))
# The engine mounts this one; the queues in it are the sandbox's own.
made = attempt(lambda: make("/dev/mqueue/meet"))
print("queues", os.listdir("/dev/mqueue") if os.path.exists("/dev/mqueue") else [], made.startswith("allowed"))

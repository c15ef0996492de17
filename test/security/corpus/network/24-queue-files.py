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
# Engines mount this one whatever they are asked for.
made = attempt(lambda: make("/dev/mqueue/meet"))
print("queues", made.startswith("allowed"))

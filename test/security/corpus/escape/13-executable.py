import errno
import os


def attempt(action):
    try:
        return action() and "allowed"
    except OSError as error:
        return errno.errorcode[error.errno]


print("own executable", attempt(lambda: open("/proc/self/exe", "r+b")))
print("supervisor's", attempt(lambda: open("/proc/1/exe", "r+b")))
# CVE-2024-21626: a descriptor of the host's directory, left open by runc, led out by "..".
for name in os.listdir("/proc/self/fd"):
    try:
        target = os.readlink(f"/proc/self/fd/{name}")
    except OSError:
        continue
    if os.path.isdir(f"/proc/self/fd/{name}") and not target.startswith("/proc/"):
        print("leaked", name, target)
print("working directory", os.getcwd(), os.listdir("../etc") == os.listdir("/etc"))

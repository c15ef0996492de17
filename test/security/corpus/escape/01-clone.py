import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = ("x86_64", "aarch64").index(os.uname().machine)


def call(number, *arguments):
    """What a system call gives, by its numbers on x86-64 and on arm64."""
    if number[column] is None:
        return "EPERM"
    result = libc.syscall(number[column], *arguments)
    return "allowed" if result != -1 else errno.errorcode[ctypes.get_errno()]



SIGCHLD = 17
parent = os.getpid()
flags = {"user": 0x1000_0000, "mount": 0x0002_0000, "process": 0x2000_0000, "network": 0x4000_0000}
for name, flag in flags.items():
    # With a user namespace in it the kernel would allow each.
    result = call((56, 220), flag | 0x1000_0000 | SIGCHLD, 0, 0, 0, 0)
    if os.getpid() != parent:
        os._exit(0)
    print(name, result)

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


# Of a user namespace the kernel would allow it; of a wrong descriptor setns would say EBADF.
print("user", call((272, 97), 0x1000_0000))
print("mount", call((272, 97), 0x0002_0000))
print("process", call((272, 97), 0x2000_0000))
print("network", call((272, 97), 0x4000_0000))
print("control group", call((272, 97), 0x0200_0000))
print("setns", call((308, 268), -1, 0))

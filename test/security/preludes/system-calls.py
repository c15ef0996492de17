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

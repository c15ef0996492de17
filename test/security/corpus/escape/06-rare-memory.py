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


# The kernel allows the first three to anybody.
print("modify_ldt", call((154, None), 0, 0, 0))
print("memfd_secret", call((447, 447), 0))
print("vmsplice", call((278, 75), -1, 0, 0, 0))
print("mbind", call((237, 235), 0, 0, 0, 0, 0, 0))
print("move_pages", call((279, 239), 0, 0, 0, 0, 0, 0))
print("mlock", call((149, 228), 0, 0))

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


print("mount", call((165, 40), 0, 0, 0, 0, 0))
print("umount2", call((166, 39), b"/tmp", 0))
print("pivot_root", call((155, 41), 0, 0))
print("chroot", call((161, 51), b"/tmp"))
print("open_tree", call((428, 428), -100, b"/nowhere", 0))
print("move_mount", call((429, 429), -1, b"", -1, b"", 0))
print("fsopen", call((430, 430), b"tmpfs", 0))
print("mount_setattr", call((442, 442), -1, b"", 0, 0, 0))

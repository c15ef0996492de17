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


print("PTRACE_TRACEME", call((101, 117), 0, 0, 0, 0))
print("PTRACE_ATTACH supervisor", call((101, 117), 16, 1, 0, 0))
print("PTRACE_SEIZE supervisor", call((101, 117), 0x4206, 1, 0, 0))
print("process_vm_readv", call((310, 270), 1, 0, 0, 0, 0, 0))
print("process_vm_writev", call((311, 271), 1, 0, 0, 0, 0, 0))
print("kcmp", call((312, 272), 1, 1, 0, 0, 0))
print("pidfd_getfd", call((438, 438), -1, 0, 0))

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


print("setuid", call((105, 146), 0))
print("setgid", call((106, 144), 0))
print("setresuid", call((117, 147), 0, 0, 0))
print("setgroups", call((116, 159), 0, 0))
print("mknodat", call((259, 33), -100, b"/tmp/device", 0o60660, 0x800))
print("personality", call((135, 92), 0xffffffff))
print("reboot", call((169, 142), 0, 0, 0, 0))
print("clock_settime", call((227, 112), 0, 0))
print("settimeofday", call((164, 170), 0, 0))
print("sethostname", call((170, 161), b"x", 1))
print("swapon", call((167, 224), b"/tmp/x", 0))
print("iopl", call((172, None), 3))

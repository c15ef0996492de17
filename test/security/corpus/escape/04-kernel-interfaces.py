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


# Most need a capability as well; keyctl, add_key, request_key and userfaultfd do not.
print("bpf", call((321, 280), 999, 0, 0))
print("perf_event_open", call((298, 241), 0, 0, -1, -1, 0))
print("userfaultfd", call((323, 282), 1))
print("keyctl", call((250, 219), 0, -3, 0, 0, 0))
print("add_key", call((248, 217), b"user", b"k", b"v", 1, -3))
print("request_key", call((249, 218), b"user", b"k", 0, 0))
print("kexec_load", call((246, 104), 0, 0, 0, 0))
print("kexec_file_load", call((320, 294), -1, -1, 0, 0, 0))
print("init_module", call((175, 105), 0, 0, 0))
print("finit_module", call((313, 273), -1, b"", 0))
print("delete_module", call((176, 106), b"x", 0))
print("open_by_handle_at", call((304, 265), -1, 0, 0))
print("name_to_handle_at", call((303, 264), -1, 0, 0, 0, 0))
print("syslog", call((103, 116), 10, 0, 0))
print("fanotify_init", call((300, 262), 0, 0))
print("quotactl", call((179, 60), 0, 0, 0, 0))

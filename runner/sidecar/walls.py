"""What keeps programs in their container: builds what the kubelet does not, and describes what is there."""

import ctypes
import os
import platform
import resource
import socket

_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2
_INSTRUCTION_BYTES = 8

_OPEN_FILES = 256
# The kernel then writes no core dump, and starts no program of the machine that receives one.
_CORE_BYTES = 1
_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount"
_WRITABLE = ("/tmp", "/dev/shm")


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def build(filters, processes, file_bytes):
    """Sets limits that a container cannot be given, and the filter of system calls, for this process and those that come
    from it.
    """
    for kind, limit in (
        # The kernel counts it by user over a whole node. Without a user namespace, another pod may have the same user: hosts
        # choose them at random.
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_CORE, _CORE_BYTES),
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_MEMLOCK, 0),
    ):
        resource.setrlimit(kind, (limit, limit))
    _install_filter(f"{filters}/{platform.machine()}.filter")


def _install_filter(path):
    with open(path, "rb") as file:
        program = file.read()
    instructions = ctypes.create_string_buffer(program, len(program))
    described = _Filter(len(program) // _INSTRUCTION_BYTES, ctypes.addressof(instructions))
    _prctl(_PR_SET_NO_NEW_PRIVS, 1, None)
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(described))


def _prctl(option, value, argument):
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, argument, None, None) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"prctl({option}, {value}): {os.strerror(error)}")


def describe():
    """Returns what the kernel says about this process, for the host to judge."""
    with open("/proc/self/status", encoding="ascii") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    return {
        "process": os.getpid(),
        "user": os.getuid(),
        "groups": sorted({os.getgid(), *os.getgroups()}),
        "capabilities": sorted({int(status[name], 16) for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")}),
        "newPrivileges": status["NoNewPrivs"] != "1",
        "filtersSystemCalls": status["Seccomp"] == "2",
        "opensInternetSockets": _opens_internet_sockets(),
        "writesRoot": not os.statvfs("/").f_flag & os.ST_RDONLY,
        "temporaryBytes": {path: _size_of(path) for path in _WRITABLE},
        "processes": resource.getrlimit(resource.RLIMIT_NPROC)[1],
        "hasToken": os.path.exists(_TOKEN),
    }


def _opens_internet_sockets():
    try:
        socket.socket(socket.AF_INET).close()
    except OSError:
        return False
    return True


def _size_of(path):
    found = os.statvfs(path)
    return found.f_blocks * found.f_frsize

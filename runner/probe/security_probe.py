"""Collects facts about the protections of a sandbox from inside, and prints each as a line of JSON, without a verdict.

It runs like any program of a session. Its attempts have arguments that change nothing even if a protection is missing:
the kernel then reports an error for them, or does nothing. A fact that cannot be determined is null, because engines
differ in what they let a program see. `probed_calls.py` comes before it in the same program.
"""

import errno
import json
import os
import socket
import sys

_FAMILIES = {
    "AF_INET": 2,
    "AF_AX25": 3,
    "AF_INET6": 10,
    "AF_KEY": 15,
    "AF_NETLINK": 16,
    "AF_PACKET": 17,
    "AF_RDS": 21,
    "AF_CAN": 29,
    "AF_TIPC": 30,
    "AF_BLUETOOTH": 31,
    "AF_ALG": 38,
    "AF_VSOCK": 40,
    "AF_KCM": 41,
    "AF_XDP": 44,
}
_STATUS = ("Uid", "Gid", "Groups", "NoNewPrivs", "Seccomp", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
_LIMITS = ("NOFILE", "CORE", "FSIZE", "MEMLOCK", "NPROC")
_PTRACE_SEIZE = 0x4206
_GROUPS = "/sys/fs/cgroup/"


def report(hidden_paths, read_only_paths, host_file):
    """Prints all facts. Attempts that may end an unprotected supervisor come last."""
    _print_fact("webassembly", _webassembly)
    _print_fact("status", _status)
    _print_fact("read_only_root", lambda: _is_read_only("/"))
    _print_fact("writable_directories", _writable_directories)
    _print_fact("temporary_files", _temporary_files)
    _print_fact("host_directories", lambda: _directories_with(host_file))
    _print_fact("interfaces", _interfaces)
    _print_fact("control_groups", _control_groups)
    _print_fact("group_limits", _group_limits)
    _print_fact("limits", _process_limits)
    _print_fact("oom_score", lambda: int(_read(f"/proc/{_supervisor_id()}/oom_score_adj")))
    _print_fact("shown_paths", lambda: [path for path in hidden_paths if _shows_something(path)])
    _print_fact("writable_paths", lambda: [p for p in read_only_paths if os.path.exists(p) and not _is_read_only(p)])
    _print_fact("devices", lambda: sorted(os.listdir("/dev")))
    _print_fact("terminal", _terminal)
    _print_fact("descriptors", _descriptors)
    _print_fact("environment", lambda: sorted(os.environ))
    _print_fact("processes", lambda: sorted(int(name) for name in os.listdir("/proc") if name.isdigit()))
    _print_fact("sockets", _sockets)
    _print_fact("system_calls", _system_calls)
    _print_fact("connection", lambda: _attempt(lambda: socket.create_connection(("192.0.2.1", 9), 1).close()))
    _print_fact("supervisor", _supervisor)


def _print_fact(name, collect):
    """Prints the name before the fact is collected, so that the output shows what the probe was doing if it is stopped."""
    print(json.dumps(name), flush=True)
    print(json.dumps({name: _or_null(collect)}), flush=True)


def _or_null(fact):
    try:
        return fact()
    except Exception:
        return None


def _attempt(action):
    """Returns `done`, or the name of the error."""
    try:
        action()
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)
    except Exception as error:
        return type(error).__name__
    return "done"


def _read(path):
    with open(path) as file:
        return file.read()


def _status():
    lines = (line.split(":", 1) for line in _read("/proc/self/status").splitlines() if ":" in line)
    return {name: value.split() for name, value in lines if name in _STATUS}


def _is_read_only(path):
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def _mount_points():
    return [line.split()[4] for line in _read("/proc/self/mountinfo").splitlines()]


def _directories_with(host_file):
    """Looks for a file of the host below each mount and each directory of the root, with all ends of its path."""
    parts = host_file.split("/")[1:]
    ends = ["/".join(parts[first:]) for first in range(len(parts))]
    directories = {"", *_mount_points(), *("/" + name for name in os.listdir("/"))}
    return sorted({path or "/" for path in directories for end in ends if os.path.exists(f"{path}/{end}")})


def _writable_directories():
    """Checks all mount points, and directories that images often leave writable."""
    mounted = _mount_points()
    usual = ["/tmp", "/var/tmp", "/run", "/run/lock", "/dev", "/dev/shm", "/dev/mqueue", "/home", "/opt", "/var/lib"]
    paths = {path for path in mounted + usual if os.path.isdir(path)}
    return sorted(path for path in paths if os.access(path, os.W_OK) and not _is_read_only(path))


def _temporary_files():
    """Describes /tmp and /dev/shm together, which may be the same. `options` are those that both have."""
    mounts = {line.split()[4]: line.split() for line in _read("/proc/self/mountinfo").splitlines()}
    paths = {os.path.realpath(path) for path in ("/tmp", "/dev/shm") if os.path.isdir(path)}
    options = set.intersection(*(set(mounts[path][5].split(",") if path in mounts else ()) for path in paths))
    sizes = [os.statvfs(path) for path in paths]
    bytes_ = sum(size.f_blocks * size.f_frsize for size in sizes)
    return {"options": sorted(options), "bytes": bytes_, "entries": sum(size.f_files for size in sizes)}


def _interfaces():
    return sorted(line.split(":")[0].strip() for line in _read("/proc/net/dev").splitlines()[2:])


def _number(path):
    """Reads a file of a control group; null if it sets no limit."""
    word = _read(path).split()[0]
    # Version 1 has a very large number instead of no limit.
    return None if word == "max" or int(word) >= 1 << 60 else int(word)


def _control_groups():
    paths = sorted({line.split(":", 2)[2] for line in _read("/proc/self/cgroup").splitlines()})
    names = os.listdir(_GROUPS) if os.path.isdir(_GROUPS) else []
    writable = any(
        os.access(os.path.join(_GROUPS, name), os.W_OK) and not _is_read_only(os.path.join(_GROUPS, name)) for name in names
    )
    return {"paths": paths, "writable": writable}


def _group_limits():
    if os.path.exists(_GROUPS + "memory.max"):
        quota, period = _read(_GROUPS + "cpu.max").split()
        return {
            "memory_bytes": _number(_GROUPS + "memory.max"),
            "swap_bytes": _number(_GROUPS + "memory.swap.max") if os.path.exists(_GROUPS + "memory.swap.max") else 0,
            "processors": None if quota == "max" else int(quota) / int(period),
            "processes": _number(_GROUPS + "pids.max"),
        }
    memory = _number(_GROUPS + "memory/memory.limit_in_bytes")
    both = _GROUPS + "memory/memory.memsw.limit_in_bytes"
    quota = _number(_GROUPS + "cpu/cpu.cfs_quota_us")
    return {
        "memory_bytes": memory,
        "swap_bytes": _number(both) - memory if memory is not None and os.path.exists(both) else None,
        "processors": None if quota < 0 else quota / _number(_GROUPS + "cpu/cpu.cfs_period_us"),
        "processes": _number(_GROUPS + "pids/pids.max"),
    }


def _process_limits():
    import resource

    return {name.lower(): list(resource.getrlimit(getattr(resource, "RLIMIT_" + name))) for name in _LIMITS}


def _shows_something(path):
    try:
        if os.path.isdir(path):
            return bool(os.listdir(path))
        with open(path, "rb") as file:
            return bool(file.read(1))
    except OSError:
        return False


def _terminal():
    return None if sys.platform == "emscripten" else _attempt(lambda: os.close(os.open("/dev/ptmx", os.O_RDWR)))


def _sockets():
    return {name: _attempt(lambda: socket.socket(family).close()) for name, family in _FAMILIES.items()}


def _descriptors():
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            found.append([int(name), os.readlink("/proc/self/fd/" + name).split(":")[0]])
        except OSError:
            # The descriptor that listed the directory.
            pass
    return sorted(found)


def _libc():
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)

    def call(number, *values):
        padded = [ctypes.c_long(value) for value in (*values, 0, 0, 0, 0, 0, 0)[:6]]
        ctypes.set_errno(0)
        result = libc.syscall(ctypes.c_long(number), *padded)
        return "done" if result != -1 else errno.errorcode.get(ctypes.get_errno(), "unknown")

    return call


def _system_calls():
    column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]
    call = _libc()
    tried = {}
    for name, (*numbers, rest) in ((name, (*entry[:2], entry[2:])) for name, entry in _CALLS.items()):  # noqa: F821
        if numbers[column] is not None:
            tried[name] = call(numbers[column], *rest)
    return tried


def _webassembly():
    """For an interpreter in WebAssembly: what a program can do to its surroundings."""
    if sys.platform != "emscripten":
        return None
    return {
        "javascript": _or_null(_javascript) or "not found",
        "process": _attempt(os.fork),
        "files": [path for path in ("/etc/passwd", "/usr/bin", "/proc/self/environ") if os.path.exists(path)],
    }


def _javascript():
    """Tries to make code of JavaScript from text. A hostile program finds modules that are hidden from others."""
    sys.modules.pop("_pyodide_core", None)
    import _pyodide_core

    try:
        _pyodide_core.to_js([]).constructor.constructor("return 1")()
    except Exception as error:
        return str(error).split(":")[0]
    return "done"


def _supervisor_id():
    """The supervisor forks its guest. Process 1 can be another one, such as the init process of an engine."""
    return os.getppid() or 1


def _supervisor():
    """Tries to access the supervisor, which must be protected from this process although it has the same user."""
    if sys.platform == "emscripten":
        return None
    pid = _supervisor_id()
    tried = {name: _attempt(lambda: open(f"/proc/{pid}/{name}", "rb").close()) for name in ("mem", "environ", "maps")}
    tried["descriptors"] = _attempt(lambda: os.listdir(f"/proc/{pid}/fd"))
    tried["program"] = _attempt(lambda: os.readlink(f"/proc/{pid}/exe"))
    call = _libc()
    x86 = os.uname().machine == "x86_64"
    tried["trace"] = call(101 if x86 else 117, _PTRACE_SEIZE, pid)
    tried["limits"] = _attempt(lambda: __import__("resource").prlimit(pid, 7))
    # Sets the priority that it already has.
    tried["priority"] = _attempt(lambda: os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid)))
    if pid != 1:
        # A signal that ends or stops the supervisor would also end this report.
        tried["signals"] = _attempt(lambda: os.kill(pid, 0))
        return tried
    # Process 1 ignores signals of its own process namespace that would end it.
    for name, number in (("SIGSTOP", 19), ("SIGKILL", 9)):
        os.kill(1, number)
        state = _read("/proc/1/stat").rsplit(")", 1)[1].split()[0]
        tried[name] = "without effect" if state not in "TtZX" else "took effect"
    return tried

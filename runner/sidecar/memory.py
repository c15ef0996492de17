"""How much memory the container with the programs uses, as the kernel counts it."""

import os

# With control groups of version 2, and of version 1: the memory that is used, the counters, and which of them counts the
# contents of files that nobody has used for some time. The kernel drops these when it needs memory.
_COUNTERS = (
    ("/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"),
    ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "/sys/fs/cgroup/memory/memory.stat"),
)
# Version 1 has both, and that of the whole group comes last.
_DROPPABLE = (b"inactive_file", b"total_inactive_file")
_LONGEST = 1 << 16


def open_counters():
    """Opens the counters of this container, which another one can then read. Returns no descriptors if it has none."""
    for paths in _COUNTERS:
        try:
            return [os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in paths]
        except OSError:
            continue
    return []


def bytes_used(descriptors):
    """Returns what the counters say now, in bytes. None if they say nothing."""
    try:
        used, counters = (os.pread(descriptor, _LONGEST, 0) for descriptor in descriptors)
        droppable = 0
        for line in counters.splitlines():
            name, _, value = line.partition(b" ")
            if name in _DROPPABLE:
                droppable = int(value)
        return max(0, int(used) - droppable)
    except (OSError, ValueError):
        return None

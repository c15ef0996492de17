"""How much memory the container with the programs uses, as the kernel counts it."""

import os
import re

# With control groups of version 2, and of version 1: the memory that is used, the counters, and which of them counts the
# contents of files that nobody has used for some time. The kernel drops these when it needs memory.
_COUNTERS = (
    ("/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"),
    ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "/sys/fs/cgroup/memory/memory.stat"),
)
_DROPPABLE = re.compile(rb"^(?:total_)?inactive_file (\d+)$", re.MULTILINE)
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
        # Version 1 also has a counter without `total_`, before the one that counts.
        droppable = _DROPPABLE.findall(counters)
        return max(0, int(used) - int(droppable[-1] if droppable else 0))
    except (OSError, ValueError):
        return None

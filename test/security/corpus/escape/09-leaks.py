import os


def shown(path):
    """Whether a file or directory has anything in it that can be seen."""
    try:
        if os.path.isdir(path):
            return bool(os.listdir(path))
        with open(path, "rb") as file:
            return bool(file.read(1))
    except OSError:
        return False


paths = (
    "/proc/config.gz", "/proc/diskstats", "/proc/interrupts", "/proc/kallsyms", "/proc/partitions", "/proc/sched_debug",
    "/proc/latency_stats", "/proc/scsi", "/proc/acpi", "/proc/asound", "/sys/block", "/sys/class", "/sys/module", "/sys/kernel",
    "/sys/firmware", "/sys/devices/virtual/powercap",
)
print("shown:", [path for path in paths if shown(path)])

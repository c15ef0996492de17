import multiprocessing
import os


def content(path):
    try:
        return open(path).read()
    except OSError:
        return ""


counters = (
    *("crypto", "diskstats", "interrupts", "locks", "schedstat", "slabinfo", "softirqs", "swaps", "timer_list"),
    *("vmstat", "zoneinfo", "pressure/cpu", "sys/fs/dentry-state", "sys/fs/file-nr", "sys/fs/inode-nr", "sys/fs/inode-state"),
    *("sys/fs/quota/lookups", "sys/kernel/pty/nr", "sys/kernel/random/boot_id"),
)
print("shown:", [name for name in counters if content(f"/proc/{name}")])

# What libraries read: the number of processors and their times, the memory, the load and the time since the start.
needed = {"stat": "cpu0 ", "meminfo": "MemAvailable:", "cpuinfo": "processor", "loadavg": "/", "uptime": "."}
print("missing:", [name for name, part in needed.items() if part not in content(f"/proc/{name}")])
print(os.cpu_count() >= multiprocessing.cpu_count() > 0, len(os.getloadavg()), os.sysconf("SC_PHYS_PAGES") > 0)
print(content("/proc/sys/kernel/ngroups_max").strip() != "", content("/proc/sys/vm/overcommit_memory").strip() != "")

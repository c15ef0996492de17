import os

paths = (
    "/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/kvm", "/dev/fuse", "/dev/net/tun",
    "/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock",
    "/sys/fs/cgroup/release_agent", "/sys/fs/cgroup/memory/release_agent", "/sys/kernel/uevent_helper",
    "/sys/kernel/debug", "/sys/firmware/efi", "/.dockerenv.sock",
)
print("there:", [path for path in paths if os.path.exists(path)])


def reads(path):
    try:
        with open(path, "rb") as file:
            return bool(file.read(1))
    except OSError:
        return False


print("readable:", [path for path in ("/proc/kcore", "/proc/kallsyms", "/proc/keys", "/proc/timer_list") if reads(path)])
print("writable:", [path for path in ("/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe") if os.access(path, os.W_OK)])

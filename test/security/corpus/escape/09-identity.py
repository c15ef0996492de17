import os
import re
import socket

print("name", socket.gethostname())
text = open("/proc/self/cgroup").read() + "".join(f"{name}={value}" for name, value in os.environ.items())
print("long ids", re.findall("[0-9a-f]{64}", text))
print("paths", sorted({line.strip().split(":", 2)[2] for line in open("/proc/self/cgroup")}))

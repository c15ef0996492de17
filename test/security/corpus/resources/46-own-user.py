import os
import resource

print(20_000 <= os.getuid() < 60_000, os.getuid() == os.getgid())
processes = resource.getrlimit(resource.RLIMIT_NPROC)[0]
print(processes in (-1, resource.RLIM_INFINITY) or processes > 64)

import os

print(20_000 <= os.getuid() < 60_000, os.getuid() == os.getgid())
open("/tmp/user", "w").write(str(os.getuid()))
import resource

print(resource.getrlimit(resource.RLIMIT_NPROC)[0] in (-1, resource.RLIM_INFINITY) or resource.getrlimit(resource.RLIMIT_NPROC)[0] > 64)

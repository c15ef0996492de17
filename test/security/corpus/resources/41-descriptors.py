import errno
import os
import resource

opened = []
try:
    while len(opened) < 5000:
        opened.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    print(errno.errorcode[error.errno])
print(200 < len(opened) < 256)
for descriptor in opened:
    os.close(descriptor)
try:
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    print("raised")
except (ValueError, OSError):
    print("kept")

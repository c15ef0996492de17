import errno
import os


def fill(directory):
    written = 0
    try:
        for part in range(64):
            with open(f"{directory}/{os.path.basename(directory)}{part}", "xb") as file:
                written += file.write(bytes(1 << 20))
    except OSError as error:
        print(errno.errorcode[error.errno])
    return written


print(8 < (fill("/dev/shm") + fill("/tmp")) >> 20 <= 16)

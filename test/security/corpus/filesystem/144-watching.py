directory = os.open("/usr/lib", os.O_RDONLY)
print("notify", call((72, 25), directory, 1026, 0x8000_0001))
file = os.open("/usr/bin/env", os.O_RDONLY)
try:
    os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT)
    print("in memory")
except OSError as error:
    print("in memory", errno.errorcode[error.errno])
print("pages", call((27, 232), 0, 0, 0))
print("merge", call((157, 167), 67, 1, 0, 0, 0), call((28, 233), 0, 4096, 12))
# What programs do with files of their own is as ever.
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
print(os.preadv(file, [bytearray(4)], 0), "bytes")

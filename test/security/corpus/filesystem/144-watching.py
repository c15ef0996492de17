directory = os.open("/usr/lib", os.O_RDONLY)
print("notify", call((72, 25), directory, 1026, 0x8000_0001))
file = os.open("/usr/bin/env", os.O_RDONLY)
for name in ("NOWAIT", "DONTCACHE"):
    try:
        os.preadv(file, [bytearray(1)], 0, {"NOWAIT": 0x8, "DONTCACHE": 0x80}[name])
        print(name, "allowed")
    except OSError as error:
        print(name, errno.errorcode[error.errno])
print("pages", call((27, 232), 0, 0, 0))
print("merge", call((157, 167), 67, 1, 0, 0, 0), call((28, 233), 0, 4096, 12))
print("core", call((157, 167), 62, 1, 0, 0, 0))
# Only a file of one's own can have a lease, as that of a user who installed it.
own = os.open("/tmp/own", os.O_RDONLY | os.O_CREAT)
hint = ctypes.byref(ctypes.c_uint64(2))
print("lease", call((72, 25), own, 1024, 0), call((72, 25), own, 1040, 0), call((72, 25), own, 1036, hint))
how = (ctypes.c_uint64 * 3)(os.O_RDONLY, 0, 0x20)
print("path in memory", call((437, 437), -100, b"/usr/bin/env", how, 24))
# These succeed even for what is neither a file nor memory, because the kernel never sees them.
print("disk", call((74, 82), 999), call((75, 83), 999), call((26, 227), 0, 4096, 4))
print("advice", call((28, 233), 0, 4096, 21))
# What programs do with files of their own is as ever.
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
print(os.preadv(file, [bytearray(4)], 0), "bytes")

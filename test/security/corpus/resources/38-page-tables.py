import mmap

print("so far", flush=True)
MAP_NORESERVE = 0x4000
kept = []
# Each page that is read takes a page of tables and none of memory: 1 GiB of them at most.
for _ in range(512):
    space = mmap.mmap(-1, 1 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE, mmap.PROT_READ)
    for start in range(0, 1 << 30, 2 << 20):
        space[start]
    kept.append(space)
print("held")

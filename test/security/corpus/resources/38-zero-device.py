import mmap
import os

print("so far", flush=True)
BLOCK = 16 << 20
device = os.open("/dev/zero", os.O_RDWR)
assert os.read(device, 3) == bytes(3)
pages = mmap.mmap(device, 512 << 20, mmap.MAP_SHARED)
for start in range(0, len(pages), BLOCK):
    pages[start : start + BLOCK] = b"x" * BLOCK
    pages.madvise(mmap.MADV_DONTNEED, start, BLOCK)
print("held")

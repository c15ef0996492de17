import mmap

print("so far", flush=True)
BLOCK = 16 << 20
pages = mmap.mmap(-1, 512 << 20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
for start in range(0, len(pages), BLOCK):
    pages[start : start + BLOCK] = b"x" * BLOCK
    pages.madvise(mmap.MADV_DONTNEED, start, BLOCK)
print("held")

import mmap
import os
import time

print("so far", flush=True)
# The kernel keeps the longest line of each file of /proc that is open: the path of a mapped file is a megabyte of it.
NAME = "\n" * 255
os.chdir("/tmp")
for _ in range(1000):
    os.mkdir(NAME)
    os.chdir(NAME)
file = os.open("file", os.O_RDWR | os.O_CREAT)
os.ftruncate(file, mmap.PAGESIZE)
space = mmap.mmap(file, mmap.PAGESIZE)
for _ in range(200):
    text = os.open("/proc/self/maps", os.O_RDONLY)
    while os.read(text, 1 << 20):
        pass
time.sleep(60)
print("held")

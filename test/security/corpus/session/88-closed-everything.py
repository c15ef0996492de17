import os

print("so far", flush=True)
os.closerange(0, 256)

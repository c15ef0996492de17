import os

print("so far", flush=True)
os._exit(0)

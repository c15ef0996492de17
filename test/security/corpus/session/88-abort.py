import os

print("so far", flush=True)
os.abort()

import os

print("so far", flush=True)
os.execv("/bin/true", ["true"])

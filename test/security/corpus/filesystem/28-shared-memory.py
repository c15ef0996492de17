import os

print(os.path.exists("/dev/shm"))
try:
    open("/dev/shm/hoard", "wb").write(bytes(1 << 20))
    print("allowed")
except OSError as error:
    print(type(error).__name__)

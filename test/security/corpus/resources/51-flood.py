import os

print("first", flush=True)
block = b"x" * 65_536
for _ in range(800):
    os.write(1, block)
print("\nlast")

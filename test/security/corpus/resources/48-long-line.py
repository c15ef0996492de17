import sys

for _ in range(64):
    sys.stdout.write("x" * 1_000_000)
print("end")

import sys

for _ in range(50_000):
    sys.stdout.write("x")
    sys.stdout.flush()
print()
print(await echo(value="after"))

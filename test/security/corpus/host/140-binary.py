import sys

sys.stdout.buffer.write(b"\xff\xfe\x00\xc3\x28" * 40_000)
sys.stdout.buffer.write(b"\xf0\x9f\x98")
sys.stdout.flush()
print("end")
print(await echo(value="after"))

import errno
import os

written = 0
try:
    for part in range(64):
        with open(f"/tmp/{part}", "wb") as file:
            written += file.write(bytes(1 << 20))
except OSError as error:
    print(errno.errorcode[error.errno])
print(written >> 20 in (13, 14, 15, 16))
for name in os.listdir("/tmp"):
    if name != "outputs":
        os.remove(f"/tmp/{name}")
open("/tmp/again", "wb").write(bytes(1 << 20))
print("room again")

import os

names = [b"new\nline", b"\xff\xfe", b"\x1b[2J", b"-rf", b"a" * 255, "\u202e".encode()]
for name in names:
    with open(b"/tmp/" + name, "wb"):
        pass
found = set(os.listdir(b"/tmp")) - {b"outputs"}
print(sorted(found) == sorted(names))
try:
    open("/tmp/\0", "w")
except ValueError as error:
    print(type(error).__name__)
print(os.listdir("/tmp"))

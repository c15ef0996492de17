import os

written = 0
for directory, directories, _ in os.walk("/"):
    if directory in ("/proc", "/sys", "/dev/mqueue"):
        directories.clear()
        continue
    for part in range(64):
        try:
            with open(os.path.join(directory, f"hoard{part}"), "xb") as file:
                written += file.write(bytes(1 << 20))
        except OSError:
            break
print(8 < written >> 20 <= 16)

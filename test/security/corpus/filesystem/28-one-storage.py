import os


def writable_mounts():
    """The kernel refuses a write to any other, and the machine's own files are too many to look at."""
    try:
        with open("/proc/self/mountinfo") as file:
            mounts = file.readlines()
    except FileNotFoundError:
        # There is no kernel below a WebAssembly interpreter.
        return ["/"]
    found = []
    for mount in mounts:
        fields, _, described = mount.partition(" - ")
        path, options = fields.split()[4:6]
        if "ro" not in options.split(",") + described.split()[2].split(","):
            found.append(path.encode().decode("unicode_escape"))
    return found


written = 0
for mount in writable_mounts():
    for directory, directories, _ in os.walk(mount):
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

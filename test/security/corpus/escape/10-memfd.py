# That it starts is accepted, and so told in the docs: noexec keeps files from being started, not bytes.
import os
import subprocess

descriptor = os.memfd_create("program", 0)
with open("/bin/cat", "rb") as file:
    os.write(descriptor, file.read())
path = f"/proc/self/fd/{descriptor}"
result = subprocess.run([path, "/proc/self/status"], pass_fds=[descriptor], capture_output=True, text=True)
fields = dict(line.split(":\t", 1) for line in result.stdout.splitlines() if ":\t" in line)
for name in ("CapEff", "CapBnd", "NoNewPrivs", "Seccomp"):
    print(name, fields[name].lstrip("0") or "0")
print("root", "0" in fields["Uid"].split())

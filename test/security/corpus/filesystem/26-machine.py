import os

print(sorted(os.listdir("/")))
print([path for path in ("/etc/passwd", "/usr/bin", "/root", "/proc/self/environ", "/proc/1") if os.path.exists(path)])

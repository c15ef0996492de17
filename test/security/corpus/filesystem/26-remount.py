import os

flags = os.statvfs("/tmp").f_flag
for name in ("ST_NOEXEC", "ST_NOSUID", "ST_NODEV"):
    print(name, bool(flags & getattr(os, name)))
print("root read-only", bool(os.statvfs("/").f_flag & os.ST_RDONLY))

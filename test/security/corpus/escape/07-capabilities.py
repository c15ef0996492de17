fields = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")
status = dict(line.split(":\t", 1) for line in open("/proc/self/status") if ":\t" in line)
for field in fields:
    print(field, status[field].strip().lstrip("0") or "0")
print("root", 0 in map(int, (status["Uid"] + "\t" + status["Gid"]).split()))
print("other groups", sorted(set(status["Groups"].split()) - set(status["Gid"].split())))

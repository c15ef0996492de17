names = [line.split(":")[0].strip() for line in list(open("/proc/net/dev"))[2:]]
print("interfaces", names)
print("routes", len(list(open("/proc/net/route"))[1:]))

import os

for _ in range(150):
    if os.fork() == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.wait()
states = []
for name in os.listdir("/proc"):
    if name.isdigit():
        try:
            states.append(open(f"/proc/{name}/stat").read().rsplit(")", 1)[1].split()[0])
        except OSError:
            pass
print(states.count("Z") < 20)

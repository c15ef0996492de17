import os

os.makedirs("/tmp/a/b", exist_ok=True)
with open("/tmp/a/b/canary", "w") as file:
    file.write("canary of the first session")
print(sorted(os.listdir("/tmp")))

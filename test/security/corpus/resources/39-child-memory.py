import subprocess
import sys

result = subprocess.run([sys.executable, "-c", "hoard = []\nwhile True: hoard.append(bytearray(10_000_000))"])
print(result.returncode)

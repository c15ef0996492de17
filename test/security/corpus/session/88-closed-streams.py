import os
import sys

print("so far", flush=True)
sys.stdout.close()
sys.stderr.close()
os.close(1)
os.close(2)

import os
import time

try:
    while True:
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
except BlockingIOError:
    code = "import subprocess\nprint([subprocess.run(['true']).returncode for _ in range(5)])"
    print("full", await run_beside(code=code))

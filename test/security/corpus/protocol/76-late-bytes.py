import threading
import time


def late():
    time.sleep(0.3)
    print("late print", flush=True)
    import os

    os.write(1, b"late write\n")


threading.Thread(target=late, daemon=True).start()
print("ended")

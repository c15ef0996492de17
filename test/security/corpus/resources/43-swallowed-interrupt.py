import time

print("so far", flush=True)
while True:
    try:
        time.sleep(60)
    except BaseException:
        pass

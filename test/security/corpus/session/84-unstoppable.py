import time

secret = "of the first program"
print("so far", flush=True)
while True:
    try:
        time.sleep(60)
    except BaseException:
        pass

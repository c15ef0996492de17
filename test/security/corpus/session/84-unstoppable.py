import time

secret = "of the first program"
while True:
    try:
        time.sleep(60)
    except BaseException:
        pass

import time

for clock in ("CLOCK_REALTIME", "CLOCK_MONOTONIC"):
    try:
        time.clock_settime(getattr(time, clock), time.time() - 3600)
        print("set")
    except OSError as error:
        print(error.errno in (1, 22))

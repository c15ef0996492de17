import time

send_call("a", "echo", {"value": 1}, "999999")
time.sleep(60)

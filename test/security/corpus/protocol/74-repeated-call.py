import time

send_call("same", "echo", {"value": 1})
send_call("same", "echo", {"value": 2})
time.sleep(60)

import time

send_call("a", "echo", {"value": 1}, execution_id="\x1b[2J\x9b31m" * 20_000)
time.sleep(60)

import time

await ask_raw("later", '{"value":1}', "same")
send_call("same", "later", {"value": 1})
time.sleep(60)

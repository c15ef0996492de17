import json as _json

stale = str(int(execution) - 1)
send_call("stale", "echo", {"value": 1}, stale)
print("went on", await echo(value=1))

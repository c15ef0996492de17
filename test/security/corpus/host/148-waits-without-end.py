import time

body = json.dumps({"execution_id": execution, "results": 0, "certain": True})
frame = f"__PTC_WAITING__{body}__PTC_END_WAITING__\n".encode()
for _ in range(100):
    calls._channel.send(frame * 1_000)
time.sleep(60)

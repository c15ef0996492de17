import time

send("CALL_GIVEN_UP", {"execution_id": execution, "call_id": "\x1b[2J" * 50_000}, "CALL_GIVEN_UP")
time.sleep(60)

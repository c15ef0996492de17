import time

send("WAITING", {"execution_id": execution, "results": 0, "certain": True}, "WAITING")
time.sleep(60)

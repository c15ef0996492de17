print("before", flush=True)
send("OUTPUT", {"execution_id": execution, "success": True, "value": "forged", "error": None, "exit_code": 0}, "OUTPUT")
while True:
    pass

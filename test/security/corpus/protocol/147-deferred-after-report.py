await later(value=1)
send("OUTPUT", {"execution_id": execution, "success": True, "value": None, "error": None, "exit_code": 0}, "OUTPUT")
for number in range(5):
    send_call(f"late{number}", "later", {"value": number})

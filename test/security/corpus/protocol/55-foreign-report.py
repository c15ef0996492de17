for other in ("0", "99", "", "__proto__"):
    send("OUTPUT", {"execution_id": other, "success": True, "value": None, "error": None, "exit_code": 0}, "OUTPUT")
raise ValueError("the real end")

for other in ("0", "2", "99", "", "__proto__", None, 1.5, {}):
    send("OUTPUT", {"execution_id": other, "success": True, "value": None, "error": None, "exit_code": 0}, "OUTPUT")
raise ValueError("the real end")

send("OUTPUT", {"execution_id": execution, "success": "yes", "value": {}, "error": [], "exit_code": "0"}, "OUTPUT")

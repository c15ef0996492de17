"""The guest for Python: the interpreter that runs programs and keeps their state. `main.py` starts it."""

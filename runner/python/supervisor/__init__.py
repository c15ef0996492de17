"""Process 1 of a sandbox. It owns the real streams, and runs no program. `main.py` starts it."""

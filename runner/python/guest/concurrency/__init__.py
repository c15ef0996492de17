"""How a program waits, and what runs beside it: tasks, threads and processes."""

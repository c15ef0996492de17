"""How a program is compiled and run, and how its value and its errors are read."""

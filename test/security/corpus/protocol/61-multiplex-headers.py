import os

header = bytes([2, 0, 0, 0, 0, 0, 0, 5])
os.write(1, header + b"forge\n" + bytes([1, 0, 0, 0, 255, 255, 255, 255]) + b"end\n")
# No value is shown below it.
None

import os
import sys

text = "é€🙂\u2028é\n" * 50
for byte in text.encode():
    os.write(1, bytes([byte]))
sys.stdout.flush()

print("so far", flush=True)
import re

re.match(r'(a+)+$', 'a' * 64 + 'b')

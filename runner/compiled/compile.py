"""Compiles the runner for `bootstrap.py`.

The command line has pairs of a module's name and its source. The output is one line: the version of
the interpreter and the code of each module by name, in base64.
"""

import sys
from base64 import b64encode
from marshal import dumps

arguments = iter(sys.argv[1:])
codes = {}
for name, source in zip(arguments, arguments):
    # Each module separately, because most are loaded late or never.
    codes[name] = dumps(compile(source, f"<{name}>", "exec", dont_inherit=True))
print(b64encode(dumps((sys.hexversion, codes))).decode())

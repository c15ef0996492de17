"""Compiles the runner for `bootstrap.py`.

Names and sources of modules come in pairs on the command line. What goes out is one line: the interpreter's version
and the code of each module by its name, in base64.
"""

import sys
from base64 import b64encode
from marshal import dumps

arguments = iter(sys.argv[1:])
codes = {}
for name, source in zip(arguments, arguments):
    # Each for itself, for most are loaded late or never.
    codes[name] = dumps(compile(source, f"<ptc_runner.{name}>", "exec", dont_inherit=True))
print(b64encode(dumps((sys.hexversion, codes))).decode())

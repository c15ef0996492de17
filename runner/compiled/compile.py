"""Compiles the runner for `bootstrap.py`.

Names and sources of modules come in pairs on the command line. What goes out is a line with the interpreter's
version, then one with the code of each module, in their order.
"""

import sys
from base64 import b64encode
from marshal import dumps

arguments = iter(sys.argv[1:])
print(sys.hexversion)
for name, source in zip(arguments, arguments):
    code = compile(source, f"<ptc_runner.{name}>", "exec", dont_inherit=True)
    print(b64encode(dumps(code)).decode())

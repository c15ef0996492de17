import builtins
import json
import os
import sys

json.dumps = json.loads = lambda *_, **__: "forged"
json.JSONEncoder.encode = json.JSONEncoder.iterencode = lambda *_, **__: ["forged"]
json.encoder.encode_basestring_ascii = lambda _: "forged"
real_print = print
builtins.print = lambda *_, **__: None
sys.stdout.write("told\n")
raise ValueError("the real end")

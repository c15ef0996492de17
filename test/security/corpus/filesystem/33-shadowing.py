for name in ("json", "traceback", "asyncio", "re", "ast", "ptc_runner", "codecs", "os", "linecache", "tokenize"):
    with open(f"/tmp/{name}.py", "w") as file:
        file.write("raise RuntimeError('shadowed')\n")
import sys

for name in ("json", "traceback", "re", "ast", "tokenize"):
    sys.modules.pop(name, None)
import ast
import json
import re
import tokenize
import traceback

print(json.dumps(await echo(value={"a": [1]})), any("/tmp" in module.__file__ for module in (ast, json, re, tokenize, traceback)))

"""Compiles the runner's Python without writing anything.

What runs in an image of the user's choice must parse on the oldest Python that we support; what
runs in the embedded interpreter has only that one to please.
"""

import ast
import pathlib
import sys
import warnings

OLDEST = (3, 9)
LONGEST = 300

warnings.simplefilter("error")
problems = []
paths = sorted(pathlib.Path("runner").rglob("*.py"))
for path in paths:
    source = path.read_text(encoding="utf-8")
    version = sys.version_info[:2] if path.is_relative_to("runner/embedded") else OLDEST
    try:
        compile(ast.parse(source, str(path), feature_version=version), str(path), "exec")
    except (SyntaxError, SyntaxWarning, DeprecationWarning) as error:
        problems.append(f"{path}: {error}")
    lines = source.count("\n")
    if lines > LONGEST:
        problems.append(f"{path}: {lines} lines; a file has at most {LONGEST}")

if not paths:
    problems.append("no Python found under runner/")
print("\n".join(problems) or f"{len(paths)} files")
sys.exit(1 if problems else 0)

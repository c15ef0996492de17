"""Runs programs one after the other in `__main__`, each from a file, as a session does. Reads them as a JSON list
from standard input, which is empty for the programs.
"""


def _run_programs():
    import json
    import os
    import sys
    import traceback

    programs = json.load(sys.stdin)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    namespace = vars(sys.modules["__main__"])
    for number, program in enumerate(programs, 1):
        path = os.path.abspath(f"program-{number}.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program)
        namespace["__file__"] = path
        try:
            exec(compile(program, path, "exec"), namespace)
        except BaseException:
            # A session continues, too.
            traceback.print_exc()


_run_programs()

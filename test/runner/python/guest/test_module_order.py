"""Tests that programs cannot replace the modules that the runner uses."""

import ast
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from ptc_runner.guest import module_order

_RUNNER = os.path.dirname(os.path.dirname(module_order.__file__))


def _imports(tree):
    """Yields the names of the standard modules that a file of the runner imports, also within functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module


def _imports_of_guest():
    found = set()
    for directory in ("guest", "shared"):
        for path in pathlib.Path(_RUNNER, directory).rglob("*.py"):
            found.update(_imports(ast.parse(path.read_text(encoding="utf-8"))))
    return found


class TestModuleOrder(unittest.TestCase):
    def test_the_list_has_what_the_runner_imports_and_what_that_imports(self):
        names = sorted(_imports_of_guest() | {"asyncio", "collections", "datetime", "json", "re", "traceback", "typing"})
        self.assertIn("inspect", names)
        load = f"import sys\nsys.modules['ssl'] = None\nfor name in {names}: __import__(name)\nprint(*sys.modules)"
        loaded = subprocess.run([sys.executable, "-I", "-S", "-c", load], capture_output=True, text=True, check=True)
        tops = {name.partition(".")[0] for name in loaded.stdout.split()} - {"builtins", "ssl", "sys"}
        replaceable = {name for name in tops if not name.startswith("_") and name not in module_order._STANDARD}
        self.assertEqual(replaceable, set())

    def test_a_program_may_replace_other_modules(self):
        with tempfile.TemporaryDirectory() as directory:
            for name in ("code", "json", "_helper"):
                with open(os.path.join(directory, f"{name}.py"), "w", encoding="utf-8") as file:
                    file.write("is_own = True")
            show = (
                "import sys\nfrom ptc_runner.guest import module_order\n"
                f"module_order.put_first({directory!r})\n"
                "import code, json, _helper\nprint(*(hasattr(module, 'is_own') for module in (code, json, _helper)))"
            )
            shown = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True)
        self.assertEqual(shown.stdout, "True False True\n")


if __name__ == "__main__":
    unittest.main()

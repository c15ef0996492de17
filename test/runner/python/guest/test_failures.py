"""What a program is told of its errors, and of its forgotten awaits."""

import unittest
from errno import ENETUNREACH
from unittest import mock

from ptc_runner.guest.program import failures, forgotten
from ptc_runner.guest.program.program import Namespace, run


class Describe(unittest.TestCase):
    def setUp(self):
        self.namespace = Namespace("/tmp/program.py")

    def fail(self, code, filename="<run 1>"):
        try:
            run(self.namespace.compile(code, filename), self.namespace.variables)
        except BaseException as error:
            return failures.describe(error, filename)
        self.fail("the program succeeded")

    def test_type_message_line_and_the_programs_own_frames(self):
        report = self.fail("def f():\n    raise ValueError('no')\nf()")
        self.assertEqual((report["type"], report["message"], report["line"]), ("ValueError", "no", 2))
        self.assertIn('File "<run 1>", line 3', report["traceback"])
        self.assertNotIn("test_failures", report["traceback"])
        self.assertNotIn("program.py", report["traceback"])

    def test_frames_of_libraries_are_left_out_in_causes_too(self):
        report = self.fail("import json\ntry:\n    json.loads('{')\nexcept ValueError as e:\n    raise KeyError('k') from e")
        self.assertIn("JSONDecodeError", report["traceback"])
        self.assertNotIn("decoder.py", report["traceback"])
        self.assertEqual(report["line"], 5)

    def test_the_line_of_a_syntax_error(self):
        self.assertEqual(self.fail("x = 1\nx +* 2")["line"], 2)

    def test_an_error_of_another_runs_program_has_the_line_of_this_one(self):
        run(self.namespace.compile("\n\ndef f():\n    1 / 0", "<run 1>"), self.namespace.variables)
        report = self.fail("f()", "<run 2>")
        self.assertEqual(report["line"], 1)
        self.assertIn('File "<run 1>", line 4', report["traceback"])

    def test_advice_for_an_error_without_a_message(self):
        for code in ("raise RuntimeError from error", "assert False"):
            kind = "RuntimeError" if "Runtime" in code else "AssertionError"
            report = self.fail(f"try:\n    raise OSError({ENETUNREACH}, 'no')\nexcept OSError as error:\n    {code}")
            self.assertEqual(report["message"], "there is no network here; only tools reach anything outside")
            self.assertIn('File "<run 1>", line 4', report["traceback"])
            self.assertTrue(report["traceback"].endswith(f"\n{kind}: {report['message']}"), report["traceback"])

    def test_long_texts_lose_their_middle(self):
        self.assertEqual(failures.shorten("abc", 3), "abc")
        self.assertEqual(failures.shorten("abcdef", 4), "ab\n[… 2 characters left out …]\nef")
        self.assertLess(len(self.fail("raise ValueError('x' * 10**6)")["message"]), 20_000)


class Held(unittest.TestCase):
    def test_a_list_is_searched_once_however_many_functions_have_it(self):
        async def ask():
            pass

        asked = [ask() for _ in range(10)]

        def call(depth, held):
            return call(depth - 1, held) if depth else 1 / 0

        with mock.patch.object(forgotten, "_never_started", wraps=forgotten._never_started) as looked_at:
            try:
                call(20, asked)
            except ZeroDivisionError as error:
                found = list(forgotten._held_by_frames(error))
        for coroutine in asked:
            coroutine.close()
        self.assertEqual((found, looked_at.call_count), (asked, len(asked)))

"""JSON without the package `json`: the same values, the same text, the same refusals."""

import json
import unittest

from ptc_runner.shared import lean_json


def refuse(value):
    raise TypeError(f"no {type(value).__name__}")


VALUES = [
    None, True, False, 0, -1, 10**30, 1.5, -0.0, 1e300, 5e-324, "", "a", "\n\t\"\\/", "\x00\x1f\x7f\u2028",
    "é漢😀", "\ud800", [], {}, [[], [{}]], {"": 0}, {"a": {"b": [1, 2.5, "c", None]}}, (1, 2), {1: 2, None: 3, True: 4, 1.5: 5},
    ["x" * 100_000], list(range(1000)),
]


class LeanJson(unittest.TestCase):
    def test_it_writes_what_json_writes(self):
        for value in VALUES:
            with self.subTest(repr(value)[:40]):
                self.assertEqual(lean_json.dumps(value, refuse), json.dumps(value, allow_nan=False))

    def test_it_reads_what_json_reads(self):
        for value in VALUES:
            for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, separators=(",", ":"))):
                with self.subTest(text[:40]):
                    self.assertEqual(repr(lean_json.loads(text)), repr(json.loads(text)))

    def test_what_is_not_json_is_an_error(self):
        for text in ("", "{", "[1,", "nul", "{\"a\"}", "{'a': 1}", "1 2", "{} ", "\"\n\"", "[" * 100_000):
            with self.subTest(text[:40]), self.assertRaises((ValueError, RecursionError)):
                lean_json.loads(text)

    def test_what_json_has_not_is_an_error(self):
        own = []
        own.append(own)
        for value in (float("nan"), float("inf"), own, object(), {(1,): 2}, {1, 2}):
            with self.subTest(repr(value)[:40]), self.assertRaises((TypeError, ValueError)):
                lean_json.dumps(value, refuse)

    def test_a_value_that_was_refused_leaves_nothing_behind(self):
        shared = {"bad": object()}
        for _ in range(2):
            with self.assertRaises(TypeError):
                lean_json.dumps([shared], refuse)
        shared["bad"] = 1
        self.assertEqual(lean_json.dumps([shared, shared], refuse), '[{"bad": 1}, {"bad": 1}]')

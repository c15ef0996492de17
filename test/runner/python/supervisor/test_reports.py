"""What the supervisor makes of a report: it passes what our guests make, however large it is, and nothing larger."""

import json
import tracemalloc
import unittest

from ptc_runner.guest import guest
from ptc_runner.guest.program import failures
from ptc_runner.shared.frames import OUTCOME, FrameError, encode
from ptc_runner.supervisor.guests.reports import MAX_BYTES, read_report

REPORT = {"execution_id": "1", "success": True, "value": None, "error": None, "exit_code": 0}


def line_of(body):
    return OUTCOME[0] + body.encode() + OUTCOME[1] + b"\n"


def report_of(**fields):
    return encode(OUTCOME, {**REPORT, "shell": None, **fields})


class ReportsTest(unittest.TestCase):
    def test_a_report_of_many_values_takes_no_memory_beside_its_own(self):
        room = MAX_BYTES - 200
        for name, body in (
            ("lists", '{"value": [' + "[]," * (room // 3) + "[]]}"),
            ("numbers", '{"value": [' + "1," * (room // 2) + "1]}"),
            ("names", "{" + ",".join(f'"{number:x}":0' for number in range(room // 10)) + "}"),
            ("brackets", "[" * room),
            ("quotes", '"' * room),
        ):
            with self.subTest(name):
                line = line_of(body)
                tracemalloc.start()
                try:
                    with self.assertRaises(FrameError):
                        read_report(line)
                    _, peak = tracemalloc.get_traced_memory()
                finally:
                    tracemalloc.stop()
                # One copy of the text is made. Parsed, lists take 400 MB.
                self.assertLess(peak, 2 * MAX_BYTES)

    def test_long_texts_of_any_characters_are_read(self):
        for text in ('"\\' * 500000, "\0\n\u2028" * 200000, "[{:,}]" * 500000, "\U0001f600" * 300000):
            with self.subTest(text[:6]):
                body = {**REPORT, "value": text}
                self.assertEqual(read_report(line_of(json.dumps(body))), (body, None))

    def test_a_field_that_guests_do_not_write_is_left_out(self):
        error = {"type": "E", "message": "m", "line": 1, "traceback": "t"}
        body = {**REPORT, "success": False, "error": error, "exit_code": 1}
        line = line_of(json.dumps({**body, "error": {**error, "more": 1}, "more": [1]}))
        self.assertEqual(read_report(line), (body, None))

    def test_the_largest_texts_of_a_program_pass(self):
        # Each character takes 12 bytes.
        text = "\N{GRINNING FACE}" * 1_000_000
        value = failures.shorten(text, guest._MAX_VALUE_LENGTH)
        report, _ = read_report(report_of(value=value))
        self.assertEqual(report["value"], value)
        try:
            raise type("E" * 1_000_000, (Exception,), {})(text)
        except Exception as raised:
            error = failures.describe(raised, "<run 1>")
        report, _ = read_report(report_of(success=False, error=error, exit_code=1))
        self.assertEqual(report["error"], error)
        both = report_of(success=False, error=error, exit_code=1, value=value)
        self.assertLess(len(both), MAX_BYTES)

    def test_a_report_that_is_longer_than_ours_is_refused(self):
        with self.assertRaisesRegex(FrameError, "too long"):
            read_report(report_of(value="x" * MAX_BYTES))

    def test_a_report_that_would_grow_when_it_is_passed_on_is_refused(self):
        with self.assertRaisesRegex(FrameError, "not ASCII"):
            read_report(report_of(value="?").replace(b"?", "é".encode()))


if __name__ == "__main__":
    unittest.main()

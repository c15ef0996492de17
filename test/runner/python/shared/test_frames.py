"""Frames, byte for byte as the host has them, and the cutting of bytes into lines."""

import json
import os
import tracemalloc
import unittest
from pathlib import Path
from unittest import mock

from ptc_runner.shared import frames

MARKERS = {
    "configure": frames.CONFIGURE,
    "execute": frames.EXECUTE,
    "tool-result": frames.TOOL_RESULT,
    "cancel": frames.CANCEL,
    "extend": frames.EXTEND,
    "exit": frames.EXIT,
    "file-request": frames.FILE_REQUEST,
    "file-cancel": frames.FILE_CANCEL,
    "attach": frames.ATTACH,
    "ready": frames.READY,
    "configured": frames.CONFIGURED,
    "attached": frames.ATTACHED,
    "tool-call": frames.TOOL_CALL,
    "call-given-up": frames.CALL_GIVEN_UP,
    "waiting": frames.WAITING,
    "output-delta": frames.OUTPUT_DELTA,
    "image": frames.IMAGE,
    "report": frames.REPORT,
    "value": frames.VALUE,
    "outcome": frames.OUTCOME,
    "file-answer": frames.FILE_ANSWER,
}


def golden(direction):
    paths = sorted(Path(os.environ["GOLDEN_FRAMES"]).glob("*.json"))
    loaded = [json.loads(path.read_text("utf-8")) for path in paths]
    return [frame for frame in loaded if frame["direction"] == direction]


def body_of(message):
    body = {key: value for key, value in message.items() if key != "kind"}
    if message["kind"].startswith("file-"):
        # It precedes the frame.
        body.pop("data", None)
    if message["kind"] == "tool-result":
        body["result"] = json.loads(body["result"]["text"])
    return body


def data_of(message):
    """The bytes of a file in a message; None if it has none."""
    data = message.get("data") if message["kind"].startswith("file-") else None
    return None if data is None else data.encode()


class GoldenFrames(unittest.TestCase):
    def test_the_runner_reads_what_the_host_writes(self):
        read = golden("host-to-runner")
        self.assertTrue(read)
        for frame in read:
            with self.subTest(frame["name"]):
                message = frame["message"]
                data, line = frames.split_data(frame["bytes"].encode())
                marker, body = frames.decode(line, frames.HOST_MARKERS)
                self.assertIs(marker, MARKERS[message["kind"]])
                self.assertEqual(body, body_of(message))
                self.assertEqual(data, data_of(message))

    def test_the_runner_writes_what_the_host_reads(self):
        written = golden("runner-to-host")
        self.assertTrue(written)
        for frame in written:
            with self.subTest(frame["name"]):
                message = frame["message"]
                line = frames.encode(MARKERS[message["kind"]], body_of(message))
                if data_of(message) is not None:
                    line = frames.with_data(data_of(message), line)
                self.assertEqual(line, frame["bytes"].encode())


class Frames(unittest.TestCase):
    def test_any_text_is_one_line(self):
        for text in ("", "\n\r\u2028\x00", "\ud800", "🙂", "__PTC_END_OUTPUT_DELTA__\n"):
            line = frames.encode(frames.OUTPUT_DELTA, {"text": text})
            self.assertEqual(line.count(b"\n"), 1)
            self.assertEqual(frames.decode(line, (frames.OUTPUT_DELTA,))[1], {"text": text})

    def test_numbers_that_json_has_not_are_refused(self):
        for value in (float("nan"), float("inf"), -float("inf")):
            with self.assertRaises(ValueError):
                frames.encode(frames.TOOL_CALL, {"value": value})

    def test_lines_that_are_no_frames_are_refused(self):
        deep = b"[" * 100_000
        for line in (
            b"",
            b"hello\n",
            b"__PTC_EXECUTE__{}\n",
            b"__PTC_EXECUTE__{}__PTC_END_CANCEL__\n",
            b"__PTC_EXECUTE__{__PTC_END_EXECUTE__\n",
            b"__PTC_EXECUTE__[]__PTC_END_EXECUTE__\n",
            b"__PTC_EXECUTE__\xff__PTC_END_EXECUTE__\n",
            b"__PTC_EXECUTE__" + deep + b"__PTC_END_EXECUTE__\n",
            b'__PTC_EXECUTE__{"text":"without an end__PTC_END_EXECUTE__\n',
            b"__PTC_OUTPUT__{}__PTC_END_OUTPUT__\n",
        ):
            with self.subTest(line[:40]), self.assertRaises(frames.FrameError):
                frames.decode(line, frames.HOST_MARKERS)


class Lines(unittest.TestCase):
    text = "a\n\n€🙂\r\nlast".encode()

    def test_bytes_give_the_same_lines_wherever_they_are_split(self):
        for first in range(len(self.text) + 1):
            for second in range(first, len(self.text) + 1):
                splitter = frames.LineSplitter()
                lines = []
                for part in (self.text[:first], self.text[first:second], self.text[second:], b"\n"):
                    lines += splitter.push(part)
                self.assertEqual(b"".join(lines), self.text + b"\n")
                self.assertEqual(len(lines), 4)

    def test_a_line_that_is_too_long_is_refused_before_it_is_complete(self):
        splitter = frames.LineSplitter(10)
        self.assertEqual(splitter.push(b"0123456789"), [])
        with self.assertRaises(frames.FrameError):
            splitter.push(b"x")

    def test_a_line_that_comes_byte_by_byte_takes_no_more_than_twice_its_size(self):
        size = 1 << 18
        splitter = frames.LineSplitter(size)
        tracemalloc.start()
        try:
            for _ in range(size):
                splitter.push(b"x")
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        # A list of the parts takes eight times its size.
        self.assertLess(peak, 2 * size + 10_000)
        self.assertEqual(splitter.push(b"\nrest"), [b"x" * size + b"\n"])


class LinesWithData(unittest.TestCase):
    text = b"a\n" + frames.with_data(b"\n1\n\n", b"b\n") + frames.with_data(b"", b"\n") + b"__PTC_DATA__00000x\n\n"
    expected = [b"a\n", b"__PTC_DATA__000004\n1\n\nb\n", b"__PTC_DATA__000000\n", b"__PTC_DATA__00000x\n", b"\n"]

    def test_newlines_in_data_end_no_line_wherever_the_bytes_are_split(self):
        for first in range(len(self.text) + 1):
            for second in range(first, len(self.text) + 1):
                splitter = frames.DataLineSplitter()
                lines = []
                for part in (self.text[:first], self.text[first:second], self.text[second:]):
                    lines += splitter.push(part)
                self.assertEqual(lines, self.expected)

    def test_data_that_is_too_long_is_refused_before_it_is_complete(self):
        splitter = frames.DataLineSplitter(20)
        self.assertEqual(splitter.push(b"__PTC_DATA__999999\n\n"), [])
        with self.assertRaises(frames.FrameError):
            splitter.push(b"\n")

    def test_a_line_in_many_parts_is_searched_once(self):
        searched = 0

        class Watched(bytearray):
            def find(self, part, start):
                nonlocal searched
                found = super().find(part, start)
                searched += (len(self) if found < 0 else found + 1) - start
                return found

        line = b"x" * 9999 + b"\n"
        with mock.patch.object(frames, "bytearray", Watched, create=True):
            splitter = frames.DataLineSplitter()
        for start in range(0, len(line), 10):
            lines = splitter.push(line[start : start + 10])
        self.assertEqual((lines, searched), ([line], len(line)))

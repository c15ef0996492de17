"""What is kept of a program's output, and what of it is counted as left out."""

import random
import unittest

from ptc_runner.shared.frames import OUTPUT_DELTA, decode
from ptc_runner.supervisor.guests.output import OutputRelay


def relay(limit, parts):
    output = OutputRelay("stdout")
    output.start("1", limit)
    before_end = [frame for frame in map(output.push, parts) if frame]
    frames = [*before_end, *output.finish()]
    return [decode(frame, (OUTPUT_DELTA,))[1] for frame in frames if frame], len(before_end)


class OutputRelayTest(unittest.TestCase):
    def test_text_goes_out_at_once_with_its_execution_and_its_stream(self):
        chunks, before_end = relay(100, [b"hello\n"])
        self.assertEqual(before_end, 1)
        self.assertEqual(
            chunks, [{"execution_id": "1", "stream": "stdout", "text": "hello\n", "omitted_bytes": 0}]
        )

    def test_text_up_to_the_limit_is_whole(self):
        chunks, _ = relay(10, [b"01234", b"56789"])
        self.assertEqual("".join(chunk["text"] for chunk in chunks), "0123456789")
        self.assertFalse(any(chunk["omitted_bytes"] for chunk in chunks))

    def test_head_tail_and_what_is_left_out_add_up_for_any_text_and_any_parts(self):
        choose = random.Random(5)
        for _ in range(500):
            text = "".join(choose.choice("aé€🙂\n") for _ in range(choose.randrange(60)))
            data = text.encode()
            limit = choose.randrange(1, 50)
            cuts = sorted(choose.randrange(len(data) + 1) for _ in range(choose.randrange(6)))
            bounds = [0, *cuts, len(data)]
            chunks, _ = relay(limit, [data[a:b] for a, b in zip(bounds, bounds[1:])])
            kept = "".join(chunk["text"] for chunk in chunks)
            omitted = sum(chunk["omitted_bytes"] for chunk in chunks)
            self.assertNotIn("\ufffd", kept)
            self.assertEqual(len(kept.encode()) + omitted, len(data))
            self.assertLessEqual(len(kept.encode()), limit)
            if len(data) <= limit:
                self.assertEqual(kept, text)
            gap = next((i for i, chunk in enumerate(chunks) if chunk["omitted_bytes"]), len(chunks))
            head = "".join(chunk["text"] for chunk in chunks[:gap])
            tail = "".join(chunk["text"] for chunk in chunks[gap:])
            self.assertTrue(text.startswith(head) and text.endswith(tail))

    def test_a_large_tail_comes_in_parts_whatever_it_was_written_in(self):
        for size in (7, 70, 60_000):
            count = 900_000 // size
            chunks, before_end = relay(400_000, [b"x" * size] * count)
            tail = [len(chunk["text"]) for chunk in chunks[before_end:]]
            self.assertLessEqual(max(tail), 1 << 16)
            self.assertLess(len(tail), 6)
            self.assertEqual(sum(tail), 200_000)
            self.assertEqual(sum(chunk["omitted_bytes"] for chunk in chunks), count * size - 400_000)

    def test_bytes_that_are_no_text_are_replaced(self):
        chunks, _ = relay(100, [b"a\xff", b"b\xe2\x82"])
        self.assertEqual("".join(chunk["text"] for chunk in chunks), "a\ufffdb\ufffd")

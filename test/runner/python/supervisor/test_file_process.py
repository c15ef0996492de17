"""The supervisor's end of the process for files. The process is real; what it says wrongly is made by the test."""

import os
import select
import shutil
import signal
import tempfile
import unittest
from unittest import mock

from ptc_runner.files import places
from ptc_runner.shared.frames import FILE_ANSWER, FILE_REQUEST, decode, encode, with_data
from ptc_runner.supervisor.file_process import FileProcess
from ptc_runner.supervisor.guests.guests import Guests


def request(request_id):
    return encode(FILE_REQUEST, {"request_id": request_id, "operation": "stat", "path": "."})


class FileProcessTest(unittest.TestCase):
    def setUp(self):
        # A process after the first one removes files there.
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        patch = mock.patch.object(places, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)
        self.told = []
        self.handlers = {}
        self.poll = select.poll()
        guests = Guests([], self.poll, None, None, None)
        self.guests = guests
        self.files = FileProcess(self.poll, self.handlers.__setitem__, self.tell, guests)
        self.addCleanup(self.files._end, {"errno": "EPIPE", "message": ""})

    def tell(self, line):
        self.told.append(decode(line, (FILE_ANSWER,))[1])

    def serve_until_told(self, count=1):
        while len(self.told) < count:
            for fd, _ in self.poll.poll():
                self.handlers[fd]()

    def test_requests_are_answered_in_their_order(self):
        for request_id in ("a", "b"):
            self.files.request(request_id, request(request_id))
        self.serve_until_told(2)
        self.assertEqual([body["request_id"] for body in self.told], ["a", "b"])
        self.assertEqual(self.told[0]["result"]["type"], "directory")

    def test_only_a_process_after_the_first_one_removes_what_was_being_written(self):
        part = os.path.join(self.root, ".ptc-0123456789abcdef.part")
        with open(part, "w"):
            pass
        self.files.request("a", request("a"))
        self.serve_until_told()
        self.assertTrue(os.path.exists(part))
        self.files.request("b", request("b"))
        self.files.cancel("b")
        self.files.request("c", request("c"))
        self.serve_until_told(3)
        self.assertFalse(os.path.exists(part))

    def test_a_process_that_is_gone_fails_what_waits_and_the_next_request_starts_another_one(self):
        self.files.request("a", request("a"))
        self.serve_until_told()
        pid = self.files._pid
        os.kill(pid, signal.SIGKILL)
        self.files._waiting.append("b")
        self.assertEqual(os.waitpid(pid, 0)[0], pid)
        self.files.on_reaped({pid: 9})
        self.assertEqual(self.told[1]["error"]["errno"], "EPIPE")
        self.assertEqual(list(self.guests.helpers), [])
        self.files.request("c", request("c"))
        self.serve_until_told(3)
        self.assertIsNone(self.told[2]["error"])

    def test_a_request_that_is_cancelled_ends_the_process_and_one_that_was_answered_does_not(self):
        self.files.request("a", request("a"))
        self.serve_until_told()
        pid = self.files._pid
        self.files.cancel("a")
        self.assertEqual(self.files._pid, pid)
        os.kill(pid, signal.SIGSTOP)
        self.files._waiting.append("b")
        self.files.cancel("b")
        self.assertIsNone(self.files._pid)
        self.assertEqual(os.waitpid(pid, 0)[1], signal.SIGKILL)
        self.assertEqual(self.told[1]["error"]["errno"], "ECANCELED")

    def test_a_process_that_says_anything_else_is_ended(self):
        wrong = {"request_id": "a", "error": None, "result": None}
        for line in (
            b"hello\n",
            encode(FILE_ANSWER, {**wrong, "request_id": "b"}),
            encode(FILE_ANSWER, {**wrong, "error": "x"}),
            with_data(b"x", b"hello\n"),
            with_data(b"x", encode(FILE_ANSWER, {**wrong, "request_id": "b"})),
            encode(FILE_ANSWER, wrong) * 2,
            b"x" * (1 << 20) + b"xx",
        ):
            with self.subTest(line[:60]):
                self.told.clear()
                with mock.patch("ptc_runner.supervisor.file_process._become_file_process", lambda *_: os._exit(0)):
                    self.files.request("a", request("a"))
                os.waitpid(self.files._pid, 0)
                with mock.patch("ptc_runner.supervisor.system.read_some", lambda *_: line):
                    self.files._on_answers()
                self.assertIsNone(self.files._pid)
                self.assertLessEqual(len(self.told), 1)

    def test_a_process_that_cannot_be_started_is_told(self):
        with mock.patch("os.fork", side_effect=BlockingIOError(11, "Resource temporarily unavailable")):
            self.files.request("a", request("a"))
        self.assertEqual(self.told[0]["error"]["errno"], "EAGAIN")


if __name__ == "__main__":
    unittest.main()

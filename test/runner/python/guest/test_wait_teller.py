"""When the host is told that a program waits."""

import asyncio
import threading
import unittest

from ptc_runner.guest.concurrency.wait_teller import WaitTeller
from ptc_runner.shared.frames import WAITING, FrameError, decode


class Channel:
    """Keeps what was sent."""

    def __init__(self):
        self.sent = []

    def send(self, line):
        self.sent.append(line)

    def told(self):
        """The bodies of the frames that say that the program waits."""
        bodies = []
        for line in self.sent:
            try:
                bodies.append(decode(line, (WAITING,))[1])
            except FrameError:
                pass
        return bodies


class Telling(unittest.TestCase):
    def setUp(self):
        self.channel = Channel()
        self.calls = {}
        self.teller = WaitTeller(self.channel, "7", self.calls)

    def call(self, call_id="a"):
        self.calls[call_id] = object()
        self.teller.send_call(b"call\n")

    def test_is_told_once_for_each_change_and_only_while_a_call_is_open(self):
        self.teller.before_wait()
        self.assertEqual(self.channel.sent, [])
        self.call()
        self.teller.before_wait()
        self.teller.before_wait()
        self.assertEqual(self.channel.told(), [{"execution_id": "7", "results": 0, "certain": True}])
        self.assertEqual(self.channel.sent[0], b"call\n")
        self.call("b")
        del self.calls["a"]
        self.teller.on_result()
        self.teller.before_wait()
        self.assertEqual([told["results"] for told in self.channel.told()], [0, 1])
        self.calls.clear()
        self.teller.on_result()
        self.teller.before_wait()
        self.assertEqual(len(self.channel.told()), 2)

    def test_is_not_certain_beside_files_and_threads(self):
        self.call()
        self.teller.before_wait(3)
        release = threading.Event()
        thread = threading.Thread(target=release.wait)
        thread.start()
        self.teller.on_change()
        self.teller.before_wait()
        release.set()
        thread.join()
        self.assertEqual([told["certain"] for told in self.channel.told()], [False, False])

    def test_is_told_by_the_loop_that_waits_and_no_more_after_the_program(self):
        async def program(wait):
            self.call()
            await asyncio.sleep(0)
            self.assertEqual(self.channel.told(), [])
            await wait

        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(program(asyncio.sleep(0.001)))
            self.assertEqual(len(self.channel.told()), 1)
            self.teller.stop()
            self.call("b")
            loop.run_until_complete(asyncio.sleep(0.001))
            self.assertEqual(len(self.channel.told()), 1)
        finally:
            loop.close()

    def test_is_told_without_certainty_by_a_loop_that_cannot_be_watched(self):
        class Loop:
            pass

        asyncio._set_running_loop(Loop())
        try:
            self.call()
        finally:
            asyncio._set_running_loop(None)
        self.assertEqual([told["certain"] for told in self.channel.told()], [False])
        self.teller.on_result()
        self.assertEqual([told["results"] for told in self.channel.told()], [0, 1])
        self.teller.stop()


if __name__ == "__main__":
    unittest.main()

"""A program that waits for its tool calls, with asyncio loaded and without."""

import asyncio
import os
import unittest

from ptc_runner.guest.channel import PipeChannel
from ptc_runner.guest.concurrency.waiting import Waiting


class WaitingTest(unittest.TestCase):
    def setUp(self):
        plain_run = asyncio.run
        reads, self.host_writes = os.pipe()
        host_reads, writes = os.pipe()
        channel = self.channel = PipeChannel(reads, writes)
        waiting = self.waiting = Waiting(channel)
        waiting.begin("asyncio")

        def end():
            waiting._loop._loop.close()
            asyncio.run = asyncio.runners.run = plain_run
            for fd in (reads, self.host_writes, host_reads, writes, channel._wake_read, channel._wake_write):
                os.close(fd)

        self.addCleanup(end)

    def test_a_reply_is_seen_that_comes_as_somebody_calls_the_loop(self):
        replies = []
        self.channel.on_line = lambda line: self.waiting.settle(replies.pop(), line)

        async def program():
            reply = self.waiting.new_reply()
            replies.append(reply)
            # Both are there when the program comes to wait.
            os.write(self.host_writes, b"answer\n")
            self.channel.wake()
            return await reply

        # If it is not seen, this waits without end.
        self.assertEqual(self.waiting.run(program()), b"answer\n")

    def test_a_task_can_call_a_tool_though_its_program_has_just_ended_outside_the_loop(self):
        tasks = []

        async def call():
            await self.waiting.new_reply()

        async def program():
            tasks.append(asyncio.create_task(call()))

        self.waiting.run(program())
        # It waits for the reply, and is cancelled there.
        self.assertFalse(tasks[0].done())
        self.assertEqual(self.waiting.end(), (1, 0))
        self.assertTrue(tasks[0].cancelled())


if __name__ == "__main__":
    unittest.main()

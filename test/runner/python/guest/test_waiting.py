"""A program that waits for its tool calls, with asyncio loaded and without."""

import asyncio
import os
import unittest

from ptc_runner.guest.channel import PipeChannel
from ptc_runner.guest.concurrency.waiting import Waiting


class WaitingTest(unittest.TestCase):
    def test_a_reply_is_seen_that_comes_as_somebody_calls_the_loop(self):
        plain_run = asyncio.run
        reads, host_writes = os.pipe()
        host_reads, writes = os.pipe()
        channel = PipeChannel(reads, writes)
        waiting = Waiting(channel)
        replies = []
        channel.on_line = lambda line: waiting.settle(replies.pop(), line)

        async def program():
            reply = waiting.new_reply()
            replies.append(reply)
            # Both are there when the program comes to wait.
            os.write(host_writes, b"answer\n")
            channel.wake()
            return await reply

        # If it is not seen, this waits without end.
        try:
            waiting.begin("asyncio")
            self.assertEqual(waiting.run(program()), b"answer\n")
        finally:
            waiting._loop._loop.close()
            asyncio.run = asyncio.runners.run = plain_run
            for fd in (reads, host_writes, host_reads, writes, channel._wake_read, channel._wake_write):
                os.close(fd)


if __name__ == "__main__":
    unittest.main()

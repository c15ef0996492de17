"""How processes end that a program left, by real ones. The test is their supervisor."""

import subprocess
import sys
import unittest
from unittest import mock

from ptc_runner.supervisor.guests import leftovers

# Prints when it is told to.
LAST_WORDS = "import sys\nsys.stdin.readline()\nprint('last')"


class LeftoversTest(unittest.TestCase):
    def end(self, on_wait, was_stopped=False):
        """Returns what `end_leftovers` returns, and the processes that it killed."""
        killed = set()
        return leftovers.end_leftovers(set(), killed, lambda: True, was_stopped, on_wait), killed

    def start(self):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        return subprocess.Popen([sys.executable, "-c", LAST_WORDS], **pipes)

    def test_a_process_goes_on_while_it_has_time(self):
        with self.start() as process, mock.patch.object(leftovers, "_GRACE", 3600):
            told = iter([b"\n"])

            def tell():
                process.stdin.write(next(told, b""))
                process.stdin.flush()

            self.assertEqual(self.end(tell), (True, set()))
            self.assertEqual(process.stdout.read(), b"last\n")

    def test_a_process_that_has_no_more_time_is_killed(self):
        with self.start() as process, mock.patch.object(leftovers, "_DEATH", 3600):
            self.assertEqual(self.end(lambda: None, was_stopped=True), (True, {process.pid}))
            self.assertEqual(process.stdout.read(), b"")

    def test_the_guests_are_looked_at_after_the_last_process_has_ended(self):
        # A process that was killed, but has not ended yet, when the guests are looked at for the first time.
        with self.start() as process:
            had_ended = []

            def freeze():
                had_ended.append(process.poll() is not None)
                process.kill()
                process.wait()
                return True

            self.assertTrue(leftovers.end_leftovers(set(), set(), freeze, False, lambda: None))
            self.assertEqual(had_ended, [False, True])


if __name__ == "__main__":
    unittest.main()

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

    def end_with(self, living, held_up_at=None, was_stopped=True):
        """Like `end`, with a double of the clock and of the processes, because real ones do not take seconds to end.
        `living` returns those that live at a time. At the time `held_up_at`, the host reads no output for 10 s. Returns
        the time at the end as well.
        """
        now = [0]

        def sleep(_):
            now[0] += 1

        def on_wait():
            if now[0] == held_up_at:
                now[0] += 10

        clock = mock.Mock(monotonic=lambda: now[0], sleep=sleep)
        processes = mock.Mock(living_except=lambda _: living(now[0]), kill_except=lambda _: set())
        with mock.patch.multiple(leftovers, time=clock, processes=processes):
            try:
                return self.end(on_wait, was_stopped)[0], now[0]
            except TimeoutError:
                return "too late", now[0]

    def test_processes_that_end_one_after_another_have_time_for_all_of_them(self):
        self.assertEqual(self.end_with(lambda now: [7, 8, 9][now // 4 :]), (True, 12))

    def test_a_process_that_does_not_end_has_five_seconds(self):
        self.assertEqual(self.end_with(lambda _: [7]), ("too late", 6))

    def test_a_host_that_reads_no_output_while_processes_end_by_themselves_takes_no_time_from_them(self):
        # They are killed after 11 s.
        self.assertEqual(self.end_with(lambda now: [7][now // 12 :], held_up_at=0, was_stopped=False), (True, 12))

    def test_a_host_that_reads_no_output_takes_no_more_than_a_second_from_killed_processes(self):
        self.assertEqual(self.end_with(lambda now: [7][now // 14 :], held_up_at=2), (True, 14))
        self.assertEqual(self.end_with(lambda _: [7], held_up_at=2), ("too late", 16))

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

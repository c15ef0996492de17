"""Until when a guest must have stopped."""

import time
import unittest
from unittest import mock

from ptc_runner.supervisor.deadlines import StopDeadline


class Guest:
    """A guest that has run for 3 s and has waited for a processor for 7 s."""

    def __init__(self):
        self.run = 3.0
        self.waited = 7.0
        self.is_ready = True

    def processor_seconds(self):
        return self.run, self.waited

    def is_ready_to_run(self):
        return self.is_ready


class StopDeadlineTest(unittest.TestCase):
    """The guest is interrupted at 100 s. It has 1 s, and at most 5 s."""

    def setUp(self):
        self.guest = Guest()
        with mock.patch.object(time, "monotonic", lambda: 100.0):
            self.stop = StopDeadline(1.0, 5.0, self.guest)

    def is_over(self, now, **changes):
        """Whether the time is over, after these changes of the guest."""
        vars(self.guest).update(changes)
        return self.stop.is_over(now)

    def test_a_guest_that_does_not_wait_for_a_processor_has_the_grace(self):
        self.assertEqual(self.stop.at, 101.0)
        self.assertFalse(self.is_over(100.9, run=3.9))
        self.assertTrue(self.is_over(101.0, run=4.0))

    def test_the_time_in_which_it_waits_does_not_count(self):
        self.assertFalse(self.is_over(101.0, run=3.25, waited=7.75))
        self.assertEqual(self.stop.at, 101.75)
        self.assertFalse(self.is_over(101.75, run=3.75, waited=8.0))
        self.assertTrue(self.is_over(102.0, run=4.0))

    def test_however_long_it_waits_the_limit_holds(self):
        self.assertFalse(self.is_over(101.0, run=3.1, waited=50.0))
        self.assertEqual(self.stop.at, 105.0)
        self.assertTrue(self.is_over(105.0, waited=90.0))

    def test_a_guest_that_has_ended_has_no_more_time(self):
        self.assertTrue(self.is_over(101.0, run=0.0, waited=0.0, is_ready=False))

    def test_the_time_that_its_shell_has_waited_still_does_not_count_after_the_shell_has_ended(self):
        self.assertFalse(self.is_over(100.9, run=3.1, waited=7.75))
        self.assertFalse(self.is_over(101.0, run=1.0, waited=0.5))
        self.assertFalse(self.is_over(101.75, waited=0.75))
        self.assertTrue(self.is_over(102.0))

    def test_a_guest_that_got_no_processor_since_the_interrupt_has_its_second_when_it_gets_one(self):
        self.assertFalse(self.is_over(104.0))
        self.assertLess(self.stop.at, 104.5)
        # Only now the kernel counts its wait.
        self.assertFalse(self.is_over(104.5, run=3.25, waited=10.75))
        self.assertEqual(self.stop.at, 104.75)
        self.assertTrue(self.is_over(104.75))

    def test_a_guest_that_got_no_processor_until_the_limit_has_one_more_moment(self):
        self.assertFalse(self.is_over(109.0))
        self.assertLess(self.stop.at, 109.5)
        self.assertTrue(self.is_over(109.5))

    def test_a_guest_that_sleeps_does_not_wait_for_a_processor(self):
        self.assertTrue(self.is_over(101.0, is_ready=False))


class WithoutTimesTest(unittest.TestCase):
    def test_a_guest_of_a_kernel_that_does_not_tell_its_times_has_the_grace(self):
        guest = Guest()
        guest.run = guest.waited = 0.0
        with mock.patch.object(time, "monotonic", lambda: 100.0):
            stop = StopDeadline(1.0, 5.0, guest)
        self.assertTrue(stop.is_over(101.0))


if __name__ == "__main__":
    unittest.main()

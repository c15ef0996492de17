"""Until when a guest must have stopped."""

import time
import unittest
from unittest import mock

from ptc_runner.supervisor.deadlines import StopDeadline


def deadline(grace, limit, waited):
    with mock.patch.object(time, "monotonic", lambda: 100.0):
        return StopDeadline(grace, limit, waited)


class StopDeadlineTest(unittest.TestCase):
    def test_a_guest_that_does_not_wait_for_a_processor_has_the_grace(self):
        stop = deadline(1.0, 5.0, waited=7.0)
        self.assertEqual(stop.at, 101.0)
        self.assertFalse(stop.is_over(100.9, 7.0))
        self.assertTrue(stop.is_over(101.0, 7.0))

    def test_the_time_in_which_it_waits_does_not_count(self):
        stop = deadline(1.0, 5.0, waited=7.0)
        self.assertFalse(stop.is_over(101.0, 7.75))
        self.assertEqual(stop.at, 101.75)
        self.assertFalse(stop.is_over(101.75, 8.0))
        self.assertTrue(stop.is_over(102.0, 8.0))

    def test_however_long_it_waits_the_limit_holds(self):
        stop = deadline(1.0, 5.0, waited=7.0)
        self.assertFalse(stop.is_over(101.0, 50.0))
        self.assertEqual(stop.at, 105.0)
        self.assertTrue(stop.is_over(105.0, 90.0))

    def test_a_guest_that_has_ended_has_no_more_time(self):
        self.assertTrue(deadline(1.0, 5.0, waited=7.0).is_over(101.0, 0.0))

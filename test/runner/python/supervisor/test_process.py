"""A guest as the supervisor's child. The guest is a real process; only a moment of the kernel is made by the test."""

import os
import signal
import unittest
from unittest import mock

from ptc_runner.supervisor.guests import process


class GuestProcessTest(unittest.TestCase):
    def test_a_guest_that_stops_while_the_kernel_is_asked_is_frozen_and_has_not_continued(self):
        guest = process.GuestProcess(["sleep", "600"])
        try:
            self.assertTrue(guest.freeze())
            os.kill(guest.pid, signal.SIGCONT)
            os.kill(guest.pid, signal.SIGSTOP)
            # Leaves the report of the stop for the guest.
            os.waitid(os.P_PID, guest.pid, os.WSTOPPED | os.WNOWAIT)
            waitid = os.waitid
            asked = 0

            def tell_nothing_first(*arguments):
                # As the kernel does if the guest stops after it looked for a stop and before it looks for a
                # continuation.
                nonlocal asked
                asked += 1
                return None if asked == 1 else waitid(*arguments)

            with mock.patch.object(os, "waitid", tell_nothing_first):
                self.assertTrue(guest.freeze())
            self.assertFalse(guest.has_continued())
        finally:
            os.kill(guest.pid, signal.SIGKILL)
            os.waitpid(guest.pid, 0)


if __name__ == "__main__":
    unittest.main()

"""The supervisor between a host, which the test is, and a real guest."""

import os
import select
import signal
import unittest

from ptc_runner.frames import EXECUTE, encode
from ptc_runner.supervisor import Supervisor


class SupervisorTest(unittest.TestCase):
    def test_what_is_printed_just_before_the_outcome_is_told_before_it(self):
        host_reads, writes = os.pipe()
        kept_stdout = os.dup(1)
        os.dup2(writes, 1)
        # Where the outcome does not come, it would be waited for without end.
        signal.alarm(10)
        supervisor = Supervisor([(["python"], "", None)])
        try:
            guest = supervisor._link("python")
            receive = guest.receive

            def receive_late():
                # The guest prints, and says how it ended, between the moment when it is looked at and this one.
                select.select([guest.control_read], [], [])
                return receive()

            guest.receive = receive_late
            body = {
                "execution_id": "a", "language": "python", "time_limit_ms": 10000,
                "code": "import time\ntime.sleep(0.2)\nprint('printed')",
            }
            supervisor._begin(body, encode(EXECUTE, body))
            while supervisor._execution_id is not None:
                supervisor._on_guest_lines(guest)
            told = os.read(host_reads, 1 << 16).decode()
        finally:
            signal.alarm(0)
            os.dup2(kept_stdout, 1)
            supervisor.kill()
            for fd in (host_reads, writes, kept_stdout):
                os.close(fd)
        self.assertRegex(told, r"printed(.|\n)*__PTC_OUTPUT__")


if __name__ == "__main__":
    unittest.main()

"""The supervisor between a host, which the test is, and a real guest."""

import os
import select
import signal
import tempfile
import unittest
from contextlib import contextmanager
from unittest import mock

from ptc_runner.shared.frames import EXECUTE, OUTCOME, encode
from ptc_runner.supervisor import process
from ptc_runner.supervisor.supervisor import Supervisor


@contextmanager
def supervisor_of_python():
    """A supervisor and its guest. Afterwards, this process is as it was before. Otherwise the supervisor's timer could
    ring while Python ends, which handles no signals any more: that would end this process by a signal.
    """
    numbers = (signal.SIGALRM, signal.SIGCHLD)
    handlers = [signal.getsignal(number) for number in numbers]
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    supervisor = Supervisor([(["python"], "", None)])
    guest = supervisor._guests.link("python")
    try:
        yield supervisor, guest
    finally:
        supervisor._kill()
        os.waitpid(guest.pid, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.set_wakeup_fd(-1)
        for number, handler in zip(numbers, handlers):
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


class SupervisorTest(unittest.TestCase):
    def test_what_is_printed_just_before_the_outcome_is_told_before_it(self):
        host_reads, writes = os.pipe()
        kept_stdout = os.dup(1)
        os.dup2(writes, 1)
        try:
            with supervisor_of_python() as (supervisor, guest), tempfile.TemporaryDirectory() as directory:
                looked_at = os.path.join(directory, "looked-at")
                os.mkfifo(looked_at)
                receive = guest.receive

                def receive_late():
                    # The guest prints, and says how it ended, between the moment when it is looked at and this one.
                    if os.path.exists(looked_at):
                        with open(looked_at, "w"):
                            os.remove(looked_at)
                    select.select([guest.control_read], [], [])
                    self.assertEqual(os.waitpid(guest.pid, os.WNOHANG), (0, 0), "the guest has ended")
                    return receive()

                guest.receive = receive_late
                body = {
                    "execution_id": "a", "language": "python", "time_limit_ms": 10000,
                    "code": f"open({looked_at!r}).close()\nprint('printed')",
                }
                supervisor._begin(body, encode(EXECUTE, body))
                while supervisor._execution_id is not None:
                    supervisor._on_guest_lines(guest)
            told = os.read(host_reads, 1 << 16).decode()
        finally:
            os.dup2(kept_stdout, 1)
            for fd in (host_reads, writes, kept_stdout):
                os.close(fd)
        self.assertRegex(told, r"printed(.|\n)*__PTC_OUTPUT__")

    def test_a_call_that_came_with_the_report_is_told_before_the_outcome(self):
        written = []
        call = b'__PTC_TOOL_CALL__{"execution_id": "a"}__PTC_END_CALL__\n'
        body = {"execution_id": "a", "success": True, "value": None, "error": None, "exit_code": 0}
        with supervisor_of_python() as (supervisor, guest):
            supervisor._execution_id = "a"
            guest.configure({"call_limit_bytes": 1000}, b"")
            guest.receive = lambda: [call, encode(OUTCOME, body)]
            guest.receive_rest = lambda: ([], [])
            with mock.patch.object(process, "write_all", lambda fd, data: written.append((fd, bytes(data)))):
                supervisor._on_guest_lines(guest)
        (calls, call_line), (outcomes, outcome) = [one for one in written if one[1]]
        self.assertEqual((calls, call_line, outcomes), (2, call, 1))
        self.assertIn(OUTCOME[0], outcome)


if __name__ == "__main__":
    unittest.main()

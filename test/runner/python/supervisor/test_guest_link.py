"""What the supervisor writes to a guest that does not read it yet."""

import os
import select
import signal
import unittest
from unittest import mock

from ptc_runner.shared import processes
from ptc_runner.shared.frames import CANCEL, CONFIGURE, EXECUTE, encode
from ptc_runner.supervisor import system
from ptc_runner.supervisor.supervisor import Supervisor

# A guest that never says that it has loaded, and sends back what it is sent.
_LOADING = "exec cat <&3 >&4"


def _configuration(length):
    tools = [{"name": "t", "identifier": "t", "parameters": "", "documentation": "d" * length}]
    settings = {"output_limit_bytes": 1000, "call_limit_bytes": 1000, "cancel_grace_ms": 1000, "cancel_limit_ms": 5000}
    return encode(CONFIGURE, {"language": "bash", **settings, "tools": tools})


class GuestLinkTest(unittest.TestCase):
    def setUp(self):
        self.supervisor = Supervisor([(["python"], "", None), (["bash"], "sh", ["sh", "-c", _LOADING])])
        # The interpreter would give up the handler of this timer before it ends.
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        self.addCleanup(self.supervisor._kill)
        self.guest = self.supervisor._guests.link("bash")

    def test_a_guest_whose_program_is_stopped_while_it_loads_gets_its_whole_configuration(self):
        # More than a pipe holds.
        configuration = _configuration(200_000)
        program = {"execution_id": "a", "language": "bash", "time_limit_ms": 10000, "code": "echo"}
        cancel = encode(CANCEL, {"execution_id": "a"})
        with mock.patch.object(system, "write_all"):
            for frame in (configuration, encode(EXECUTE, program), cancel):
                self.supervisor._on_host_frame(frame)
        taken = b""
        while not taken.endswith(cancel):
            self.guest.push()
            select.select([self.guest.control_read], [], [])
            taken += os.read(self.guest.control_read, 1 << 16)
        self.assertTrue(taken == configuration + cancel, f"{len(taken)} bytes of {len(configuration) + len(cancel)}")

    def test_the_input_of_the_host_is_read_on_while_a_frozen_guest_has_a_long_configuration_to_read(self):
        host_input, host = os.pipe()
        kept = os.dup(0)
        os.dup2(host_input, 0)
        for fd in (host_input, host, kept):
            self.addCleanup(os.close, fd)
        self.addCleanup(os.dup2, kept, 0)
        os.write(host, b"\n")
        self.assertTrue(self.guest.freeze())
        # As one that has loaded, which only its next program resumes.
        self.guest._is_ready = True
        with mock.patch.object(system, "write_all"):
            self.supervisor._on_host_frame(_configuration(17_000_000))
        self.assertIn((0, select.POLLIN), self.supervisor._poll.poll(0))

    def test_the_time_in_which_the_shell_waits_for_a_processor_counts_as_that_of_its_guest(self):
        shell = self.guest.pid + 1
        seconds = {self.guest.pid: (0.5, 0.25), shell: (4.0, 2.0)}
        with mock.patch.multiple(processes, children=lambda _: [shell], processor_seconds=seconds.__getitem__):
            self.guest._keep_shell(shell)
            self.assertEqual(self.guest.processor_seconds(), (4.5, 2.25))

    def test_a_shell_that_takes_long_to_stop_is_already_one_of_the_processes_that_the_guest_keeps(self):
        shell = self.guest.pid + 1
        self._expect_kept_while_freezing({self.guest.pid: [shell]}, is_ready=True)

    def test_all_processes_of_a_guest_that_loads_are_kept_while_one_of_them_takes_long_to_stop(self):
        shell, other, child = (self.guest.pid + number for number in (1, 2, 3))
        self._expect_kept_while_freezing({self.guest.pid: [shell, other], shell: [child]}, is_ready=False)

    def _expect_kept_while_freezing(self, children, is_ready):
        """Whenever the guest waits until one of these processes has stopped, those that were found are kept."""
        found = set(children[self.guest.pid])
        frozen = []

        def freeze(pid):
            self.assertEqual(found.difference(self.guest.pids), set())
            frozen.append(pid)
            found.update(children.get(pid, ()))
            return 0

        with mock.patch.multiple(processes, children=lambda pid: children.get(pid, []), freeze=freeze):
            if is_ready:
                self.guest._is_ready = True
                self.guest._keep_shell(*found)
            self.assertTrue(self.guest.freeze())
        self.assertEqual(set(frozen), found)


if __name__ == "__main__":
    unittest.main()

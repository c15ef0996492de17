"""The supervisor between a host, which the test is, and a real guest."""

import os
import select
import shutil
import signal
import tempfile
import unittest
from unittest import mock

from ptc_runner.files import places
from ptc_runner.shared.frames import CONFIGURE, CONFIGURED, EXECUTE, FILE_ANSWER, FILE_CANCEL, FILE_REQUEST, OUTCOME, encode
from ptc_runner.supervisor import system
from ptc_runner.supervisor.supervisor import GuestGone, Supervisor


class SupervisorTest(unittest.TestCase):
    def tearDown(self):
        # A supervisor keeps its timer until its process ends at once. Here, the interpreter would first give up the
        # handler, and the timer would then end the process.
        signal.setitimer(signal.ITIMER_REAL, 0)

    def test_what_is_printed_just_before_the_outcome_is_told_before_it(self):
        host_reads, writes = os.pipe()
        kept_stdout = os.dup(1)
        os.dup2(writes, 1)
        supervisor = Supervisor([(["python"], "", None)])
        try:
            guest = supervisor._guests.link("python")
            receive = guest.receive

            def receive_late():
                # The guest prints, and says how it ended, between the moment when it is looked at and this one.
                select.select([guest.control_read], [], [])
                return receive()

            guest.receive = receive_late
            body = {
                "execution_id": "a", "language": "python", "time_limit_ms": 10000, "code": "print('printed')",
            }
            supervisor._begin(body, encode(EXECUTE, body))
            while supervisor._execution_id is not None:
                supervisor._on_guest_lines(guest)
            told = os.read(host_reads, 1 << 16).decode()
        finally:
            os.dup2(kept_stdout, 1)
            supervisor._kill()
            for fd in (host_reads, writes, kept_stdout):
                os.close(fd)
        self.assertRegex(told, r"printed(.|\n)*__PTC_OUTPUT__")

    def test_a_call_that_came_with_the_report_is_told_before_the_outcome(self):
        written = []
        supervisor = Supervisor([(["python"], "", None)])
        call = b'__PTC_TOOL_CALL__{"execution_id": "a"}__PTC_END_CALL__\n'
        body = {"execution_id": "a", "success": True, "value": None, "error": None, "exit_code": 0}
        try:
            guest = supervisor._guests.link("python")
            supervisor._execution_id = "a"
            guest.configure({"call_limit_bytes": 1000, "language": "python"}, b"")
            guest.receive = lambda: [call, encode(OUTCOME, body)]
            guest.receive_rest = lambda: ([], [])
            with mock.patch.object(system, "write_all", lambda fd, data: written.append((fd, bytes(data)))):
                supervisor._on_guest_lines(guest)
        finally:
            supervisor._kill()
        (calls, call_line), (outcomes, outcome) = [one for one in written if one[1]]
        self.assertEqual((calls, call_line, outcomes), (2, call, 1))
        self.assertIn(OUTCOME[0], outcome)

    def test_a_guest_that_was_frozen_while_it_loaded_loads_when_it_is_configured_and_its_version_is_told(self):
        written = []
        ready = '__PTC_READY__{"version": "20.1.0"}__PTC_END_READY__'
        script = f"read -r line <&3; echo '{ready}' >&4; read -r line <&3"
        supervisor = Supervisor([(["python"], "", None), (["typescript"], "sh", ["sh", "-c", script])])
        body = {"language": "typescript", "call_limit_bytes": 1000, "output_limit_bytes": 1000, "cancel_grace_ms": 1000, "cancel_limit_ms": 5000}
        try:
            guest = supervisor._guests.link("typescript")
            self.assertTrue(guest.freeze())
            with mock.patch.object(system, "write_all", lambda fd, data: written.append((fd, bytes(data)))):
                supervisor._on_host_frame(encode(CONFIGURE, body))
                self.assertEqual([one for one in written if one[1]], [])
                self.assertEqual(select.select([guest.control_read], [], [], 60)[0], [guest.control_read])
                supervisor._on_guest_lines(guest)
                supervisor._on_host_frame(encode(CONFIGURE, body))
        finally:
            supervisor._kill()
        answer = encode(CONFIGURED, {"language": "typescript", "version": "20.1.0"})
        self.assertEqual([one for one in written if one[1]], [(1, answer)] * 2)

    def test_the_version_of_a_missing_interpreter_is_told_to_be_unknown(self):
        written = []
        supervisor = Supervisor([(["python"], "", None), (["typescript"], "no-such-program", ["no-such-program"])])
        body = {"language": "typescript", "call_limit_bytes": 1000, "output_limit_bytes": 1000, "cancel_grace_ms": 1000, "cancel_limit_ms": 5000}
        try:
            with mock.patch.object(system, "write_all", lambda fd, data: written.append((fd, bytes(data)))):
                supervisor._on_host_frame(encode(CONFIGURE, body))
        finally:
            supervisor._kill()
        self.assertEqual(written, [(1, encode(CONFIGURED, {"language": "typescript", "version": None}))])

    def test_a_process_that_was_killed_for_memory_in_one_program_does_not_explain_the_end_of_the_next(self):
        written = []
        kills = [0]
        with mock.patch.object(system, "count_memory_kills", lambda: kills[0]), \
                mock.patch.object(system, "write_all", lambda fd, data: written.append(bytes(data))):
            supervisor = Supervisor([(["python"], "", None)])
            guest = supervisor._guests.link("python")
            try:
                _begin(supervisor, "pass")
                kills[0] = 1
                while supervisor._execution_id is not None:
                    supervisor._on_guest_lines(guest)
                _begin(supervisor, "import os; os.kill(os.getpid(), 9)")
                with self.assertRaises(GuestGone):
                    while select.select([supervisor._child_signals.fd], [], []):
                        supervisor._on_child_event()
            finally:
                supervisor._kill()
        self.assertIn(b'"interpreter_end": {"reason": "signal", "status": 9}', b"".join(written))

    def test_a_request_is_answered_whose_process_has_the_descriptors_of_one_that_was_killed_and_cancelled(self):
        # The process removes files there.
        root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, root)
        host_input, host = os.pipe()
        kept_stdin = os.dup(0)
        os.dup2(host_input, 0)
        supervisor = Supervisor([(["python"], "", None)])
        answers = []

        def tell(fd, data):
            if FILE_ANSWER[0] in data:
                answers.append(bytes(data))
                if b'"b"' in data:
                    os.close(host)

        try:
            with mock.patch.object(places, "ROOT", root), mock.patch.object(system, "write_all", tell):
                files = supervisor._files
                supervisor._on_host_frame(_request("a"))
                os.kill(files._pid, signal.SIGKILL)
                os.waitid(os.P_PID, files._pid, os.WEXITED | os.WNOWAIT)
                # What is left is only that it has closed its end.
                while os.read(files._read, 1 << 16):
                    pass
                os.write(host, encode(FILE_CANCEL, {"request_id": "a"}) + _request("b"))
                supervisor.run()
        finally:
            supervisor._kill()
            os.dup2(kept_stdin, 0)
            for fd in (host_input, kept_stdin):
                os.close(fd)
        cancelled, answered = answers
        self.assertIn(b"ECANCELED", cancelled)
        self.assertIn(b'"type": "directory"', answered)


def _request(request_id):
    return encode(FILE_REQUEST, {"request_id": request_id, "operation": "stat", "path": "."})


def _begin(supervisor, code):
    body = {"execution_id": code, "language": "python", "time_limit_ms": 10000, "code": code}
    supervisor._begin(body, encode(EXECUTE, body))


if __name__ == "__main__":
    unittest.main()

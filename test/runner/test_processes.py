"""What is found out about processes that are no children of the supervisor, by real ones."""

import subprocess
import sys
import unittest

from ptc_runner import processes

# Its first thread ends, and another one waits, which uses hardly any processor time.
WITHOUT_FIRST_THREAD = """
import ctypes, platform, sys, threading
def wait():
    while open("/proc/self/stat").read().rpartition(") ")[2][0] != "Z": pass
    print("ended", flush=True)
    sys.stdin.read()
threading.Thread(target=wait).start()
ctypes.CDLL(None).syscall(60 if platform.machine() == "x86_64" else 93, 0)
"""


class ProcessesTest(unittest.TestCase):
    def test_a_process_whose_first_thread_has_ended_is_not_taken_for_a_stopped_one(self):
        command = [sys.executable, "-c", WITHOUT_FIRST_THREAD]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            try:
                self.assertEqual(process.stdout.readline(), b"ended\n")
                ticks = processes.freeze(process.pid)
                self.assertTrue(processes.has_gone_on(process.pid, ticks))
            finally:
                process.kill()

    def test_a_stopped_process_has_not_gone_on(self):
        with subprocess.Popen(["sleep", "600"]) as process:
            try:
                ticks = processes.freeze(process.pid)
                self.assertFalse(processes.has_gone_on(process.pid, ticks))
            finally:
                process.kill()


if __name__ == "__main__":
    unittest.main()

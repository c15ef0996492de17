"""What is found out about processes that are not children of the supervisor, by real ones."""

import os
import signal
import subprocess
import sys
import unittest
from contextlib import contextmanager
from unittest.mock import patch

from ptc_runner.shared import processes

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

# It has two threads. `%s` is what the second one does before it waits.
WITH_TWO_THREADS = """
import subprocess, sys, threading
children = []
def start_child():
    children.append(subprocess.Popen(["sleep", "600"]))
def wait():
    %s
    print("begun", flush=True)
    sys.stdin.read()
threading.Thread(target=wait).start()
"""

# Its second thread ends when it gets a line, and a third one starts a child.
WITH_NEXT_THREAD = """
import subprocess, sys, threading
def wait(start=lambda: None):
    child = start()
    print("begun", flush=True)
    sys.stdin.readline()
for start in (lambda: None, lambda: subprocess.Popen(["sleep", "600"])):
    thread = threading.Thread(target=wait, args=[start])
    thread.start()
    thread.join()
"""


@contextmanager
def stopped_process(program):
    """A process in a group of its own that has printed `begun` and has been stopped."""
    command = [sys.executable, "-c", program]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, start_new_session=True) as process:
        try:
            stop_when_begun(process)
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def stop_when_begun(process):
    assert process.stdout.readline() == b"begun\n"
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED)


class ChildrenListTest(unittest.TestCase):
    def test_a_process_of_several_threads_without_children_has_none_for_sure(self):
        with stopped_process(WITH_TWO_THREADS % "pass") as process:
            self.assertTrue(processes.ChildrenList(process.pid).are_none())

    def test_a_child_of_a_thread_beside_the_first_is_found(self):
        with stopped_process(WITH_TWO_THREADS % "start_child()") as process:
            children = processes.ChildrenList(process.pid)
            self.assertEqual(children.read(), b"")
            self.assertFalse(children.are_none())

    def test_a_child_is_found_that_comes_to_a_thread_whose_list_was_read_before(self):
        with stopped_process(WITH_TWO_THREADS % "start_child()") as process:
            children = processes.ChildrenList(process.pid)
            lists = iter([b"", b"%d " % process.pid])
            children.read = lambda: next(lists)
            # As if its thread had ended meanwhile.
            with patch.object(processes, "_is_empty", lambda fd: True):
                self.assertFalse(children.are_none())

    def test_a_child_of_a_thread_that_has_come_in_the_place_of_another_is_found(self):
        with stopped_process(WITH_NEXT_THREAD) as process:
            children = processes.ChildrenList(process.pid)
            self.assertTrue(children.are_none())
            process.send_signal(signal.SIGCONT)
            process.stdin.write(b"\n")
            process.stdin.flush()
            stop_when_begun(process)
            # First the thread that has ended is noticed, and then the child of the other one.
            self.assertFalse(children.are_none())
            self.assertFalse(children.are_none())

    def test_of_a_process_with_many_threads_it_does_not_tell(self):
        start_others = "for _ in range(15): threading.Thread(target=sys.stdin.read).start()"
        with stopped_process(WITH_TWO_THREADS % start_others) as process:
            before = len(os.listdir("/proc/self/fd"))
            children = processes.ChildrenList(process.pid)
            self.assertFalse(children.are_none())
            self.assertEqual(len(os.listdir("/proc/self/fd")), before + 2)


class ProcessesTest(unittest.TestCase):
    def test_a_process_whose_first_thread_has_ended_is_not_taken_for_a_stopped_one(self):
        command = [sys.executable, "-c", WITHOUT_FIRST_THREAD]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            try:
                self.assertEqual(process.stdout.readline(), b"ended\n")
                ticks = processes.freeze(process.pid)
                self.assertTrue(processes.has_continued(process.pid, ticks))
            finally:
                process.kill()

    def test_processes_that_share_a_processor_have_run_and_have_waited_for_it(self):
        program = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nwhile True: pass"
        others = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(2)]
        try:
            while not all(min(processes.processor_seconds(other.pid)) > 0.01 for other in others):
                self.assertEqual([other.poll() for other in others], [None, None])
        finally:
            for other in others:
                other.kill()
                other.wait()
        self.assertEqual(processes.processor_seconds(others[0].pid), (0, 0))

    def test_a_process_that_computes_is_ready_to_run_and_one_that_is_stopped_is_not(self):
        program = "print('began', flush=True)\nwhile True: pass"
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
            try:
                process.stdout.readline()
                self.assertTrue(processes.is_ready_to_run(process.pid))
                processes.freeze(process.pid)
                self.assertFalse(processes.is_ready_to_run(process.pid))
            finally:
                process.kill()

    def test_a_stopped_process_has_not_gone_on(self):
        with subprocess.Popen(["sleep", "600"]) as process:
            try:
                ticks = processes.freeze(process.pid)
                self.assertFalse(processes.has_continued(process.pid, ticks))
            finally:
                process.kill()


if __name__ == "__main__":
    unittest.main()

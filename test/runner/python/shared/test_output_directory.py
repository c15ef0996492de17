"""The directory for files of programs. Only here are there fifos and a directory without room."""

import os
import shutil
import tempfile
import unittest
from unittest import mock

from ptc_runner.shared.output_directory import OutputDirectory


class OutputDirectoryTest(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.path = os.path.join(self.root, "outputs")

    def test_it_is_made_and_without_entries_it_stays(self):
        outputs = OutputDirectory(self.path)
        before = os.stat(self.path).st_ino
        self.assertIsNone(outputs.take())
        self.assertEqual(os.stat(self.path).st_ino, before)

    def test_what_was_left_gets_another_name_and_the_directory_is_new(self):
        outputs = OutputDirectory(self.path)
        os.mkfifo(os.path.join(self.path, "fifo"))
        aside = outputs.take()
        self.assertEqual((os.listdir(aside), os.listdir(self.path)), (["fifo"], []))
        self.assertRegex(aside, r"/outputs-[0-9a-f]{8}$")

    def test_what_took_its_place_is_moved_and_not_followed(self):
        outputs = OutputDirectory(self.path)
        for make in (os.mkfifo, lambda path: os.symlink("/proc/1", path)):
            os.rmdir(self.path)
            make(self.path)
            aside = outputs.take()
            self.assertFalse(os.path.isdir(aside) and not os.path.islink(aside))
            self.assertEqual(os.listdir(self.path), [])

    def test_without_room_it_is_made_after_the_next_program(self):
        outputs = OutputDirectory(self.path)
        os.rmdir(self.path)
        with mock.patch("os.mkdir", side_effect=OSError):
            self.assertIsNone(outputs.take())
        self.assertIsNone(outputs.take())
        self.assertEqual(os.listdir(self.path), [])

    def test_without_a_path_there_is_none(self):
        self.assertIsNone(OutputDirectory(None).take())

"""Tests that work on files in a directory of their own, which is `/tmp` for them."""

import os
import shutil
import tempfile
import unittest
from unittest import mock

from ptc_runner.files import places


class DirectoryTest(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        patch = mock.patch.object(places, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)
        self.descriptors = len(os.listdir("/proc/self/fd"))

    def tearDown(self):
        self.assertEqual(len(os.listdir("/proc/self/fd")), self.descriptors)

    def path(self, name):
        return os.path.join(self.root, name)

    def put(self, name, content=b"x"):
        with open(self.path(name), "wb") as file:
            file.write(content)

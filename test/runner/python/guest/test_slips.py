"""Which libraries the message of an error names."""

import errno
import os
import sys
import tempfile
import unittest
from unittest import mock

from ptc_runner.guest.program import failures, slips


class InstalledTest(unittest.TestCase):
    def installed(self, entries):
        with tempfile.TemporaryDirectory() as directory:
            for entry in entries:
                os.mkdir(os.path.join(directory, entry))
            with mock.patch.object(sys, "path", [directory, "/none", None]):
                return slips.installed()

    def test_the_well_known_first_without_installers_and_other_directories(self):
        entries = ["aardvark-0.1.dist-info", "numpy-2.2.4.dist-info", "my-lib-1.0-py3.11.egg-info"]
        others = ["pip-25.0.dist-info", "numpy", "notes-of-mine", "x.dist-info"]
        self.assertEqual(self.installed(entries + others), "Libraries that are there: numpy, aardvark, my-lib.")

    def test_none(self):
        self.assertEqual(self.installed([]), "Only the standard library is there.")

    def test_a_limited_number_and_length(self):
        text = self.installed([f"a{index}-1.0.dist-info" for index in range(300)])
        self.assertIn(" and 280 more.", text)
        text = self.installed([f"{'a' * 50}{index}-1.0.dist-info" for index in range(100)])
        self.assertLess(len(text), 500)
        self.assertEqual(self.installed([f"{'a' * 100}-1.0.dist-info"]), "Only the standard library is there.")

    def test_a_directory_with_too_many_entries_is_not_read(self):
        with mock.patch.object(os, "listdir", return_value=["numpy-2.2.4.dist-info"] * 5001):
            self.assertEqual(slips.installed(), "Only the standard library is there.")

    def test_only_a_library_for_requests_says_that_there_is_no_network(self):
        with mock.patch.dict(sys.modules):
            for name, says in (("requests", True), ("bs4.element", True), ("pandas", False)):
                sys.modules.pop(name.partition(".")[0], None)
                text = slips.advice(ModuleNotFoundError(f"No module named {name!r}", name=name))
                self.assertTrue(text.startswith("it is not installed, and nothing can be installed here. "), text)
                self.assertEqual(text.endswith(" Also, there is no network here; only tools reach anything outside."), says)

    def test_a_group_of_errors_has_the_advice_for_those_in_it(self):
        # Python before 3.11 has no such class, but libraries bring one.
        class ExceptionGroup(Exception):
            def __init__(self, exceptions):
                super().__init__("unhandled errors")
                self.exceptions = exceptions

        unreachable = OSError(errno.ENETUNREACH, "Network is unreachable")
        group = ExceptionGroup([ValueError(), ExceptionGroup([unreachable])])
        said = failures.describe(group, "<run 1>")["message"]
        self.assertEqual(said, "unhandled errors: there is no network here; only tools reach anything outside")
        many = ExceptionGroup([ValueError()] * 100 + [unreachable])
        self.assertEqual(failures.describe(many, "<run 1>")["message"], "unhandled errors")
        many.exceptions = None
        self.assertEqual(failures.describe(many, "<run 1>")["message"], "unhandled errors")

    def test_an_endless_chain_of_causes_ends(self):
        error, other = OSError(1), OSError(2)
        error.__cause__, other.__cause__ = other, error
        self.assertEqual(slips.advice(error), "")


if __name__ == "__main__":
    unittest.main()

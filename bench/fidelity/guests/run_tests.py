"""Runs the tests of a module and reports how each ended, in a sandbox or in the plain interpreter."""

import importlib
import json
import traceback
import unittest

from test import support

# Skips tests that take long, need much memory or use the network.
support.use_resources = []
# A module's source, run as a program, ends with this call. The tests are run afterwards.
unittest.main = lambda *args, **options: None


class _Ends(unittest.TestResult):
    """How each test ended: a word, and details of a failure."""

    def __init__(self):
        super().__init__()
        self.ends = {}

    def note(self, test, word, detail=""):
        self.ends[test.id()] = (word, detail)

    def startTest(self, test):
        super().startTest(test)
        self.note(test, "ok")

    def addError(self, test, error):
        self.note(test, "error", _describe(error))

    def addFailure(self, test, error):
        self.note(test, "failure", _describe(error))

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.note(test, "failure", _describe(error))

    def addSkip(self, test, reason):
        self.note(test, "skipped", reason)

    def addExpectedFailure(self, test, error):
        self.note(test, "expected failure")

    def addUnexpectedSuccess(self, test):
        self.note(test, "unexpected success")


_ends = _Ends()


def run(name, left_out):
    """Runs the tests of a module, except those left out. The name `__main__` means the program itself."""
    try:
        module = importlib.import_module(name)
    except unittest.SkipTest as error:
        _ends.ends["import"] = ("skipped", str(error))
        return
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    _without(suite, left_out).run(_ends)


def answer():
    """How the tests ended, as JSON."""
    return json.dumps(_ends.ends)


def _without(suite, left_out):
    kept = []
    for test in suite:
        if isinstance(test, unittest.BaseTestSuite):
            kept.append(_without(test, left_out))
        elif not any(test.id().endswith(name) for name in left_out):
            kept.append(test)
    return type(suite)(kept)


def _describe(error):
    return traceback.format_exception_only(error[0], error[1])[-1].strip()

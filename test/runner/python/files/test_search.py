"""What a search finds in a directory of the test."""

import errno
import unittest
from unittest import mock

from directory_test import DirectoryTest
from ptc_runner.files import search
from ptc_runner.files.places import Refused


class SearchTest(DirectoryTest):
    def grep(self, expression):
        body = {"path": ".", "pattern": "**", "expression": expression, "ignore_case": False, "limit": 10}
        return [(match["line"], match["text"]) for match in search.grep(body)["matches"]]

    def test_a_long_line_is_found_once_wherever_the_match_is(self):
        for at in (0, 499, 65_530, 65_536, 131_066, 190_000, 199_992):
            line = "ü" * at + "a needle" + "ü" * (199_992 - at)
            self.put("long", f"first\n{line}\r\nlast".encode())
            found = self.grep("needle")
            self.assertEqual([number for number, _ in found], [2])
            self.assertIn("a needle", found[0][1])
            self.assertEqual(len(found[0][1]), 500)
            self.assertEqual(self.grep("needle|^last$"), [found[0], (3, "last")])

    def test_many_matches_in_a_long_line_are_one(self):
        self.put("long", b"needle " * 30_000 + b"\nneedle")
        self.assertEqual(self.grep("needle"), [(1, ("needle " * 72)[:500]), (2, "needle")])

    def test_the_start_and_the_end_of_a_long_line_are_only_there(self):
        self.put("long", b"a" * 200_000 + b"b\r\n" + b"c" * 65_536)
        self.assertEqual([number for number, _ in self.grep("^a|^c")], [1, 2])
        self.assertEqual(self.grep("a$|^b|^ac"), [])
        self.assertEqual([number for number, _ in self.grep("b$|c$")], [1, 2])

    def test_only_grep_looks_into_a_path_that_is_that_of_a_file(self):
        self.put("file.txt", b"word")
        body = {"path": "file.txt", "pattern": "*.csv", "expression": "w", "ignore_case": False, "limit": 10}
        self.assertEqual(search.grep(body)["matches"], [{"path": "file.txt", "line": 1, "text": "word"}])
        with self.assertRaises(NotADirectoryError):
            search.glob({"path": "file.txt", "pattern": "*.csv"})

    def test_grep_says_that_a_file_was_not_searched(self):
        self.put("kept.txt", b"word")
        for number, is_truncated in (
            (errno.EACCES, True),
            (errno.EMFILE, True),
            (errno.ENOMEM, True),
            # A program has just removed the file, or has put a link or something else in its place.
            (errno.ENOENT, False),
            (errno.ELOOP, False),
            (None, False),
        ):
            failure = Refused("EINVAL", "it is not a regular file") if number is None else OSError(number, "")
            body = {"path": ".", "pattern": "**", "expression": "w", "ignore_case": False, "limit": 10}
            with self.subTest(number), mock.patch.object(search, "open_file", side_effect=failure):
                self.assertEqual(search.grep(body), {"matches": [], "is_truncated": is_truncated})
        self.assertEqual(search.grep(body)["is_truncated"], False)


if __name__ == "__main__":
    unittest.main()

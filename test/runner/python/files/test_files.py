"""The operations on files in a directory of the test. Only here are there fifos: no program can make one."""

import os
import resource
import shutil
import tempfile
import threading
import unittest

from directory_test import DirectoryTest
from ptc_runner.files import left_parts, operations, search, transfers
from ptc_runner.files.places import Refused, place_of


class FilesTest(DirectoryTest):
    def refusal(self, function, *arguments):
        with self.assertRaises(Refused) as raised:
            function(*arguments)
        return raised.exception.errno

    def test_a_tree_has_all_but_directories_and_is_not_found_through_a_link(self):
        os.makedirs(self.path("top/a/b"))
        os.mkfifo(self.path("top/fifo"))
        self.put("top/a/b/file")
        os.symlink("/", self.path("top/a/root"))
        os.symlink("top", self.path("link"))
        tree = search.tree({"path": "top"})
        self.assertEqual(
            [(entry["name"], entry["type"]) for entry in tree["entries"]],
            [("a/b/file", "file"), ("a/root", "link"), ("fifo", "other")],
        )
        self.assertFalse(tree["is_truncated"])
        for path in ("link", "top/fifo"):
            with self.assertRaises(NotADirectoryError):
                search.tree({"path": path})

    def test_a_fifo_is_refused_without_waiting_for_its_other_end(self):
        os.mkfifo(self.path("fifo"))
        read = {"transfer": "t", "path": "fifo", "is_first": True, "offset": 0, "length": 10}
        self.assertEqual(self.refusal(transfers.Transfers().read, read), "EINVAL")
        self.assertEqual(operations.state_of({"path": "fifo"})["type"], "other")
        with self.assertRaises(OSError):
            operations.append({"path": "fifo"}, b"x")
        found = search.grep({"path": ".", "pattern": "**", "expression": "x", "ignore_case": False, "limit": 10})
        self.assertEqual(found, {"matches": [], "is_truncated": False})
        operations.remove({"path": "fifo", "recursive": False})

    def test_what_is_no_expression_or_is_nested_too_deeply_is_refused(self):
        for expression in ("(", "(" * 5000):
            body = {"path": ".", "pattern": "**", "expression": expression, "ignore_case": False, "limit": 10}
            self.assertEqual(self.refusal(search.grep, body), "EINVAL")

    def test_a_file_that_grows_while_it_is_read_ends_at_the_size_that_it_had(self):
        self.put("grows", b"a" * 10)
        server = transfers.Transfers()
        body = {"transfer": "t", "path": "grows", "is_first": True, "offset": 0, "length": 4}
        self.assertEqual(server.read(body), ({"size": 10, "is_last": False}, b"aaaa"))
        with open(self.path("grows"), "ab") as file:
            file.write(b"b" * 1000)
        self.assertEqual(server.read({**body, "is_first": False, "offset": 4, "length": 100}), ({"size": 10, "is_last": True}, b"a" * 6))

    def test_a_file_that_is_replaced_while_it_is_read_stays_what_it_was(self):
        self.put("old", b"a" * 10)
        server = transfers.Transfers()
        body = {"transfer": "t", "path": "old", "is_first": True, "offset": 0, "length": 4}
        server.read(body)
        self.put("new", b"b" * 10)
        os.rename(self.path("new"), self.path("old"))
        self.assertEqual(server.read({**body, "is_first": False, "offset": 4, "length": 100})[1], b"a" * 6)

    def test_of_many_files_that_are_open_the_one_that_was_not_used_for_longest_is_given_up(self):
        server = transfers.Transfers()
        for number in range(17):
            write = {"transfer": str(number), "path": f"file{number}", "is_first": True, "is_last": False}
            server.write(write, b"x")
        self.assertEqual(len(os.listdir(self.root)), 16)
        with self.assertRaises(Refused):
            server.write({"transfer": "0", "path": "file0", "is_first": False, "is_last": True}, b"x")
        server.release_all()
        self.assertEqual(os.listdir(self.root), [])

    def test_what_a_link_leads_to_is_written_read_and_appended_to_also_if_it_is_not_there_yet(self):
        os.symlink("inner/file", self.path("link"))
        for link in ("link", "second"):
            if link == "second":
                os.symlink("link", self.path(link))
            server = transfers.Transfers()
            server.write({"transfer": "t", "path": link, "is_first": True, "is_last": True}, b"new")
            operations.append({"path": link}, b" more")
            self.assertTrue(os.path.islink(self.path(link)))
            with open(self.path("inner/file"), "rb") as file:
                self.assertEqual(file.read(), b"new more")
            read = {"transfer": "t", "path": link, "is_first": True, "offset": 0, "length": 100}
            self.assertEqual(server.read(read)[1], b"new more")

    def test_links_that_lead_nowhere_or_out_or_to_a_directory_are_refused(self):
        os.symlink("loop", self.path("loop"))
        os.symlink("/etc/passwd", self.path("out"))
        os.mkdir(self.path("inner"))
        os.symlink("inner", self.path("directory"))
        for path, expected in {"loop": "ELOOP", "out": "EXDEV", "directory": "EISDIR", "inner": "EISDIR", ".": "EISDIR"}.items():
            first = {"transfer": "t", "path": path, "is_first": True}
            server = transfers.Transfers()
            self.assertEqual(self.refusal(server.read, {**first, "offset": 0, "length": 1}), expected)
            self.assertEqual(self.refusal(server.write, {**first, "is_last": True}, b"x"), expected)
        self.assertEqual(sorted(os.listdir(self.root)), ["directory", "inner", "loop", "out"])

    def test_a_written_file_keeps_its_mode(self):
        self.put("script")
        os.chmod(self.path("script"), 0o750)
        server = transfers.Transfers()
        server.write({"transfer": "t", "path": "script", "is_first": True, "is_last": True}, b"new")
        self.assertEqual(os.stat(self.path("script")).st_mode & 0o777, 0o750)

    def test_of_a_process_that_was_killed_only_the_files_that_it_was_writing_are_removed(self):
        part, others = ".ptc-0123456789abcdef.part", (".ptc-0123.part", ".ptc-0123456789abcdef.part.txt", "a.part")
        os.makedirs(self.path("deep/deeper"))
        os.mkdir(self.path(f"deep/deeper/{part[:-6]}0.part"))
        outside = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, outside)
        for name in (os.path.join(outside, part), *others, part, f"deep/deeper/{part}"):
            self.put(name)
        os.symlink(self.path("a.part"), self.path(f"{part[:-6]}1.part"))
        os.symlink(outside, self.path("link"))
        left_parts.remove_parts()
        left = sorted([*others, "deep", f"{part[:-6]}1.part", "link"])
        self.assertEqual(sorted(os.listdir(self.root)), left)
        self.assertEqual(os.listdir(self.path("deep/deeper")), [f"{part[:-6]}0.part"])
        self.assertEqual(os.listdir(outside), [part])

    def test_a_directory_that_is_swapped_for_a_link_meanwhile_is_not_entered(self):
        outside = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, outside)
        with open(os.path.join(outside, "secret"), "w") as file:
            file.write("secret")
        os.mkdir(self.path("real"))
        self.put("real/secret", b"mine")
        os.symlink(outside, self.path("link"))
        is_over = threading.Event()

        def swap():
            while not is_over.is_set():
                for name in ("real", "link"):
                    os.rename(self.path(name), self.path("place"))
                    os.rename(self.path("place"), self.path(name))

        thread = threading.Thread(target=swap)
        thread.start()
        self.descriptors = len(os.listdir("/proc/self/fd"))
        seen = set()
        try:
            for _ in range(2000):
                try:
                    with place_of("place/secret") as (directory, name):
                        fd, _ = transfers.open_file(name, directory)
                    seen.add(os.read(fd, 10))
                    os.close(fd)
                except (OSError, Refused):
                    pass
        finally:
            is_over.set()
            thread.join()
        self.assertLessEqual(seen, {b"mine"})

    def test_a_tree_that_is_deeper_than_descriptors_allow_is_removed_and_not_searched_to_its_end(self):
        for branch in ("a", "b"):
            deepest = os.open(self.root, os.O_RDONLY)
            for name in ["top", branch, *["d"] * 300]:
                if name not in os.listdir(deepest):
                    os.mkdir(name, dir_fd=deepest)
                inner = os.open(name, os.O_RDONLY, dir_fd=deepest)
                os.close(deepest)
                deepest = inner
            os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=deepest))
            os.close(deepest)
        self.assertTrue(search.glob({"path": ".", "pattern": "**"})["is_truncated"])
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (128, limits[1]))
        try:
            operations.remove({"path": "top", "recursive": True})
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        self.assertEqual(os.listdir(self.root), [])

    def test_what_is_being_written_is_not_found(self):
        os.mkdir(self.path("outputs"))
        server = transfers.Transfers()
        body = {"transfer": "t", "path": "outputs/file", "is_first": True, "is_last": False}
        server.write(body, b"x")
        # Such as of a process that was killed.
        left = ".ptc-0123456789abcdef.part"
        self.put(f"outputs/{left}")

        def found():
            listed = operations.entries_of({"path": "outputs"})["entries"]
            grep = {"path": ".", "pattern": "**", "expression": "x", "ignore_case": False, "limit": 10}
            return [
                [entry["name"] for entry in listed],
                search.glob({"path": "outputs", "pattern": "**"})["paths"],
                [match["path"] for match in search.grep(grep)["matches"]],
                [entry["name"] for entry in search.tree({"path": "outputs"})["entries"]],
            ]

        self.assertEqual(found(), [[left], [f"outputs/{left}"], [f"outputs/{left}"], [left]])
        operations.remove({"path": f"outputs/{left}", "recursive": False})
        server.write({**body, "is_first": False, "is_last": True}, b"y")
        self.assertEqual(found(), [["file"], ["outputs/file"], ["outputs/file"], ["file"]])

    def test_what_a_link_leads_to_is_described_with_the_name_of_the_link(self):
        self.put("file", b"four")
        os.symlink("file", self.path("link"))
        os.symlink(".", self.path("root"))
        for path, name, kind in (("link", "link", "file"), ("root/", "root", "directory"), (".", "", "directory")):
            state = operations.state_of({"path": path})
            self.assertEqual((state["name"], state["type"]), (name, kind))

    def test_a_list_that_is_too_long_says_so(self):
        for number in range(1001):
            self.put(f"{number:04}", b"")
        listed = operations.entries_of({"path": "."})
        self.assertEqual((len(listed["entries"]), listed["is_truncated"]), (1000, True))
        self.assertEqual(listed["entries"][-1]["name"], "0999")

    def test_a_name_that_is_not_utf_8_is_listed_and_opened(self):
        with open(os.path.join(os.fsencode(self.root), b"\xff"), "wb") as file:
            file.write(b"x")
        (entry,) = operations.entries_of({"path": "."})["entries"]
        self.assertEqual(operations.state_of({"path": entry["name"]})["size"], 1)

    def test_a_pattern_with_many_stars_is_quick(self):
        os.makedirs(self.path("a/" * 30))
        self.assertEqual(search.glob({"path": ".", "pattern": "**/a/" * 20 + "b"})["paths"], [])


if __name__ == "__main__":
    unittest.main()

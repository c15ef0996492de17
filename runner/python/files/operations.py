"""What one request does with one file or directory."""

import os
import stat

from .places import Refused, open_directory, parts_of, place_of
from .transfers import NewFile, is_being_written, open_path, read_at, write_all

# How many entries are listed, and how many bytes their names have at most.
MOST_ENTRIES = 1000
MOST_BYTES = 1 << 18
# A file that is edited is in memory twice.
_LARGEST_EDITED = 16 << 20
# What is deeper is not searched, and removed in parts: each level takes a descriptor.
DEEPEST = 64

_LARGEST_EXACT = 2**53 - 1
_TYPES = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}


def describe(name, found):
    """What is told about an entry. A program can set any time, and make a file of any size that has no content."""
    kind = _TYPES.get(stat.S_IFMT(found.st_mode), "other")
    return {"name": name, "type": kind, "size": _exact(found.st_size), "modified_ms": _exact(int(found.st_mtime * 1000))}


def _exact(number):
    """The nearest number that the host can represent exactly."""
    return max(-_LARGEST_EXACT, min(number, _LARGEST_EXACT))


class Listing:
    """A list for an answer, which takes no more than an answer can have."""

    def __init__(self, most):
        self.items = []
        self.is_truncated = False
        self._most = most
        self._bytes = 0

    def add(self, item, text):
        """Adds an item with this text in it. Returns whether there was room."""
        # In JSON, a character may take six bytes.
        self._bytes += 6 * len(text) + 100
        self.is_truncated = len(self.items) >= self._most or self._bytes > 2 * MOST_BYTES
        if not self.is_truncated:
            self.items.append(item)
        return not self.is_truncated


def state_of(body):
    """What a path names. A link is followed."""
    with place_of(body["path"]) as (directory, name):
        found = os.stat(name, dir_fd=directory, follow_symlinks=False)
    # In the place of a link, what it leads to is found.
    return describe((parts_of(body["path"]) or [""])[-1], found)


def entries_of(body):
    """The entries of a directory, by name. Links are not followed."""
    with place_of(body["path"]) as (parent, name):
        directory = open_directory(name, parent)
    try:
        listing = Listing(MOST_ENTRIES)
        for entry in sorted(os.listdir(directory)):
            if is_being_written(entry):
                continue
            try:
                found = os.stat(entry, dir_fd=directory, follow_symlinks=False)
            except FileNotFoundError:
                # A program has just removed it.
                continue
            if not listing.add(describe(entry, found), entry):
                break
        return {"entries": listing.items, "is_truncated": listing.is_truncated}
    finally:
        os.close(directory)


def append(body, data):
    """Adds to the end of a file, which is made if it is missing."""
    fd, _ = open_path(body["path"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        write_all(fd, data)
    finally:
        os.close(fd)


def edit(body):
    """Replaces a text in a file. Without `all`, it must be there once."""
    old, new = (body[name].encode("utf-8", "surrogateescape") for name in ("find", "replace"))
    fd, state = open_path(body["path"])
    try:
        content = read_at(fd, 0, min(state.st_size, _LARGEST_EDITED + 1))
    finally:
        os.close(fd)
    if len(content) > _LARGEST_EDITED:
        raise Refused("EFBIG", f"it has more than {_LARGEST_EDITED} bytes, which is the most that can be edited")
    found = content.count(old)
    if found == 0:
        raise Refused("ENOMSG", "the text to find is not in the file; read the file, and give the text as it is there")
    if found > 1 and not body["all"]:
        raise Refused("ENOTUNIQ", f"the text to find is in the file {found} times; give more of the text around it, or set all")
    if len(content) + found * (len(new) - len(old)) > _LARGEST_EDITED:
        raise Refused("EFBIG", f"it would have more than {_LARGEST_EDITED} bytes, which is the most that can be edited")
    file = NewFile(body["path"])
    try:
        file.write(content.replace(old, new))
        file.finish()
    finally:
        file.close()
    return {"replacements": found}


def remove(body):
    """Removes a file, a link or an empty directory; with `recursive`, a directory with what is in it."""
    with place_of(body["path"], follow=False) as (directory, name):
        if name == ".":
            raise Refused("EBUSY", "/tmp itself cannot be removed")
        if not _is_directory(name, directory):
            os.unlink(name, dir_fd=directory)
            return
        if body["recursive"]:
            top = open_directory(name, directory)
            try:
                while _empty(top, top, 0):
                    pass
            finally:
                os.close(top)
        os.rmdir(name, dir_fd=directory)


def _is_directory(name, directory):
    return stat.S_ISDIR(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)


def _empty(directory, top, depth):
    """Removes what is in a directory. What is too deep is moved to the top. Returns whether something was."""
    is_moved = False
    for name in os.listdir(directory):
        try:
            if not _is_directory(name, directory):
                os.unlink(name, dir_fd=directory)
            elif depth >= DEEPEST:
                os.rename(name, os.urandom(8).hex(), src_dir_fd=directory, dst_dir_fd=top)
                is_moved = True
            else:
                inner = open_directory(name, directory)
                try:
                    is_moved = _empty(inner, top, depth + 1) or is_moved
                finally:
                    os.close(inner)
                os.rmdir(name, dir_fd=directory)
        except FileNotFoundError:
            # A program was faster.
            pass
    return is_moved

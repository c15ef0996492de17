"""Finds the place of a path in `/tmp`, without leaving it.

The path is walked from directory to directory. Each is opened relative to the one before, as what it is and never
through a link, so a program that changes the directories meanwhile cannot lead the walk elsewhere. Links are read and
followed here, as long as they stay in `/tmp`.
"""

import os
from contextlib import contextmanager

ROOT = "/tmp"

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# As in the kernel.
_MOST_LINKS = 40
_LONGEST_PATH = 4096
# In bytes. The file system of the embedded sandbox has no limit.
_LONGEST_NAME = 255


class Refused(Exception):
    """Why a request is refused: the name of a system error, and a clause for people."""

    def __init__(self, errno, message):
        super().__init__(message)
        self.errno = errno


@contextmanager
def place_of(path, follow=True):
    """Gives what `open_place` returns, and closes the directory afterwards."""
    directory, name = open_place(path, follow)
    try:
        yield directory, name
    finally:
        os.close(directory)


def open_place(path, follow=True, make=False):
    """Returns the directory of a path, as a descriptor, and the name there; "." if the path is `/tmp` itself. `follow` is
    whether a link in the last place is followed; `make`, whether missing directories are made.
    """
    directories = [os.open(ROOT, _DIRECTORY)]
    try:
        name = _walk(path, directories, follow, make)
        return directories.pop(), "." if name is None else name
    finally:
        for directory in directories:
            os.close(directory)


def _walk(path, directories, follow, make):
    """Adds the directories of a path to those that are open. Returns the last name; None if there is none."""
    left = parts_of(path)[::-1]
    links = 0
    while left:
        part = left.pop()
        if part == "..":
            # Only links have it.
            if len(directories) == 1:
                raise _leads_out(path)
            os.close(directories.pop())
            continue
        target = _target(part, directories[-1]) if left or follow else None
        if target is not None:
            links += 1
            if links > _MOST_LINKS:
                raise Refused("ELOOP", "the path has too many links")
            if target.startswith("/"):
                for directory in directories[1:]:
                    os.close(directory)
                del directories[1:]
            left += _below_root(target, path)[::-1]
        elif left:
            directories.append(_enter(part, directories[-1], make))
        else:
            return part
    return None


def parts_of(path):
    """The names in a path of a request, which is relative to `/tmp`, or begins with it."""
    if "\0" in path:
        raise Refused("EINVAL", "a path cannot contain the character NUL")
    if len(path) > _LONGEST_PATH:
        raise Refused("ENAMETOOLONG", "the path is too long")
    parts = _below_root(path, path)
    if ".." in parts:
        raise Refused("EXDEV", "a path cannot contain '..'; give the path from /tmp")
    # A character takes four bytes at most.
    if 4 * len(path) > _LONGEST_NAME and any(len(os.fsencode(part)) > _LONGEST_NAME for part in parts):
        raise Refused("ENAMETOOLONG", f"a name has more than {_LONGEST_NAME} bytes")
    return parts


def _below_root(target, path):
    """The names in a path or in the target of a link."""
    parts = [part for part in target.split("/") if part not in ("", ".")]
    if not target.startswith("/"):
        return parts
    if parts[:1] != [ROOT[1:]]:
        raise _leads_out(path)
    return parts[1:]


def _leads_out(path):
    return Refused("EXDEV", f"the path leads out of {ROOT}, where all files are that can be used")


def _target(name, directory):
    """The target of a link; None if there is none with this name."""
    try:
        return os.readlink(name, dir_fd=directory)
    except OSError:
        # If it becomes a link now, it is refused when it is opened.
        return None


def _enter(name, directory, make):
    try:
        return open_directory(name, directory)
    except FileNotFoundError:
        if not make:
            raise
    try:
        os.mkdir(name, dir_fd=directory)
    except FileExistsError:
        # A program has just made it.
        pass
    return open_directory(name, directory)


def open_directory(name, directory):
    """Opens a directory, and no link to one."""
    return os.open(name, _DIRECTORY, dir_fd=directory)

"""Removes the files that a process for files was writing when it was killed."""

import os

from . import places
from .operations import DEEPEST
from .places import open_directory
from .transfers import is_part

# So many entries are looked at. More are unusual in a sandbox, and take seconds.
_MOST_SEEN = 100_000


def remove_parts():
    """Removes them from all directories in `/tmp`. Links are neither followed nor removed."""
    try:
        _Removal().run(open_directory(places.ROOT, None), 0)
    except OSError:
        # A program has made `/tmp` unreadable.
        pass


class _Removal:
    def __init__(self):
        self._seen = 0

    def run(self, directory, depth):
        """Closes the directory."""
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    self._seen += 1
                    if self._seen > _MOST_SEEN:
                        return
                    try:
                        self._visit(entry, directory, depth)
                    except OSError:
                        # A program has just changed it, or it cannot be read.
                        pass
        finally:
            os.close(directory)

    def _visit(self, entry, directory, depth):
        if entry.is_dir(follow_symlinks=False):
            if depth < DEEPEST:
                self.run(open_directory(entry.name, directory), depth + 1)
        elif is_part(entry.name) and entry.is_file(follow_symlinks=False):
            os.unlink(entry.name, dir_fd=directory)

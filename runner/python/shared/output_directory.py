"""The directory in which programs leave files for the host: `$OUTPUT_DIR`, new and empty for each program."""

import os
import stat


class OutputDirectory:
    """`path` is None in a sandbox without such a directory. A call takes constant time, whatever a program left."""

    def __init__(self, path):
        self._path = path
        if path is not None:
            self._make()

    def take(self):
        """Gives what the program left another name, which the next program cannot know, and makes a new directory.
        Returns the path of what was left; None if there is nothing. No program may be running.
        """
        if self._path is None or self._is_empty():
            return None
        aside = f"{self._path}-{os.urandom(4).hex()}"
        try:
            os.rename(self._path, aside)
        except OSError:
            return None
        self._make()
        return aside

    def _make(self):
        try:
            os.mkdir(self._path)
        except OSError:
            # There is no room for it. It is made after the next program.
            pass

    def _is_empty(self):
        try:
            # Nothing can put a link in its place in between, because no program is running.
            if not stat.S_ISDIR(os.lstat(self._path).st_mode):
                return False
            with os.scandir(self._path) as entries:
                return next(entries, None) is None
        except FileNotFoundError:
            self._make()
            return True
        except OSError:
            # A directory that cannot be read.
            return False

"""What programs leave behind: processes, threads and open files. The checks run with every program, so they are cheap, and
load late what is rarely needed.
"""

import os
import sys

from _stat import S_ISREG

# Bound now, because a program may replace them in their module.
_list_directory = os.listdir
_status_of = os.fstat


def reap_children():
    """Makes room for the processes of the next program."""
    try:
        if os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            # Rarely needed.
            from .concurrency.left_processes import reap

            reap()
    except ChildProcessError:
        # It has no children.
        pass
    except Exception:
        # WebAssembly has no processes, and a program may have changed what this uses.
        pass


def count_threads():
    """Returns the number of threads that the program left and that were not reported yet."""
    threading = sys.modules.get("threading")
    try:
        if threading is None or len(threading._active) < 2:
            return 0
        # Rarely needed.
        from .concurrency.left_threads import count_left

        return count_left()
    except Exception:
        # A program may have changed the internals of `threading`.
        return 0


class OpenFiles:
    """Finds the files that a program left open. Plain Python writes the contents of their buffers when it exits."""

    def __init__(self):
        self.note_own()

    def note_own(self):
        """Notes the descriptors of the runner. To be called before the streams of programs are opened: they can close these,
        and files can get their descriptors.
        """
        self._own = {name for name in _descriptors() if _status(name) is not None}

    def finish(self):
        """Writes the contents of their buffers, and returns warnings about files that are incomplete nevertheless."""
        try:
            files = [int(name) for name in _descriptors() if name not in self._own and _is_file(name)]
            if not files:
                return []
            # Rarely needed.
            from .program.left_files import finish

            return finish(files)
        except BaseException:
            # A program may have used up the memory, or changed what this uses.
            return []


def _descriptors():
    """Returns the numbers of the open descriptors, and that of the one by which they are listed, as texts."""
    try:
        return _list_directory("/proc/self/fd")
    except OSError:
        # A program has used up all descriptors.
        return []


def _is_file(name):
    status = _status(name)
    return status is not None and S_ISREG(status.st_mode)


def _status(name):
    try:
        return _status_of(int(name))
    except OSError:
        # It was that of the list.
        return None

"""Files that are read or written in pieces. A file stays open from its first piece to its last, so what a program does
with its name meanwhile changes nothing.
"""

import errno
import os
import stat

from .places import Refused, open_place

# So many files are open at a time. The one that was not used for longest is given up for another, such as the file of a
# host that has ended.
_MOST_OPEN = 16
# A fifo is not waited for, and a terminal does not become that of this process.
_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def open_file(name, directory, flags=os.O_RDONLY):
    """Opens a regular file, and nothing else. Returns its descriptor and its state."""
    fd = os.open(name, flags | _SAFELY, 0o666, dir_fd=directory)
    try:
        state = os.fstat(fd)
        mode = state.st_mode
        if stat.S_ISDIR(mode):
            raise Refused("EISDIR", "it is a directory")
        if not stat.S_ISREG(mode):
            raise Refused("EINVAL", "it is not a regular file")
    except BaseException:
        os.close(fd)
        raise
    return fd, state


def open_path(path, flags=os.O_RDONLY):
    """Does the same for a path. With `O_CREAT`, missing directories are made too."""
    make = bool(flags & os.O_CREAT)
    try:
        return _open_in(open_place(path, False, make), flags)
    except OSError as error:
        # Most files are not links, so links are followed only if there is one.
        if error.errno != errno.ELOOP:
            raise
    return _open_in(open_place(path, True, make), flags)


def _open_in(place, flags):
    directory, name = place
    try:
        return open_file(name, directory, flags)
    finally:
        os.close(directory)


def read_at(fd, offset, length):
    """Reads up to `length` bytes. Fewer only at the end of the file."""
    data = os.pread(fd, length, offset)
    while len(data) < length and (more := os.pread(fd, length - len(data), offset + len(data))):
        data += more
    return data


def write_all(fd, data):
    """Writes all of `data`."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


_PART = (".ptc-", ".part")


def is_part(name):
    """Whether a file with this name is one that is being written, or was when its process was killed."""
    begin, end = _PART
    return len(name) == len(begin) + 16 + len(end) and name.startswith(begin) and name.endswith(end)


# The names of those that this process is writing, which no program chooses.
_being_written = set()


def is_being_written(name):
    """Whether a file with this name is the unfinished content of another one."""
    return name in _being_written


class NewFile:
    """The next content of a file: a file beside it, which replaces it in one step when it is complete."""

    def __init__(self, path):
        # Most files are not links, so links are followed only if there is one.
        if not self._begin(path, follow=False):
            self._begin(path, follow=True)

    def _begin(self, path, follow):
        """Opens the file. Returns False instead if there is a link in its place, which must be followed."""
        self._directory, self._name = open_place(path, follow, make=True)
        try:
            mode = self._mode_of_old()
            if stat.S_ISDIR(mode):
                raise Refused("EISDIR", "it is a directory")
            if follow or not stat.S_ISLNK(mode):
                self._open(mode)
                return True
        except BaseException:
            os.close(self._directory)
            raise
        os.close(self._directory)
        return False

    def _mode_of_old(self):
        """The mode of what it replaces; 0 if there is nothing."""
        try:
            return os.stat(self._name, dir_fd=self._directory, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return 0

    def _open(self, old_mode):
        self._beside = os.urandom(8).hex().join(_PART)
        self._fd = os.open(self._beside, _NEW | _SAFELY, 0o666, dir_fd=self._directory)
        if stat.S_ISREG(old_mode):
            try:
                os.fchmod(self._fd, stat.S_IMODE(old_mode))
            except BaseException:
                os.close(self._fd)
                raise
        self._is_complete = False
        _being_written.add(self._beside)

    def write(self, data):
        write_all(self._fd, data)

    def finish(self):
        """Puts it in the place of the file. It must be closed in any case."""
        os.rename(self._beside, self._name, src_dir_fd=self._directory, dst_dir_fd=self._directory)
        self._is_complete = True

    def close(self):
        """Removes what is not complete."""
        try:
            if not self._is_complete:
                os.unlink(self._beside, dir_fd=self._directory)
        except OSError:
            # A program was faster.
            pass
        finally:
            _being_written.discard(self._beside)
            os.close(self._fd)
            os.close(self._directory)


class _OpenFile:
    """A file that is being read, up to the size that it has now: one that grows has an end nevertheless."""

    def __init__(self, path):
        self.fd, state = open_path(path)
        self.size = state.st_size

    def close(self):
        os.close(self.fd)


class Transfers:
    """The open files, by the ids that the host has given them."""

    def __init__(self):
        # In the order of their last use.
        self._open = {}

    def read(self, body):
        """The next piece of a file. The last one closes it."""
        file = self._take(body, _OpenFile)
        try:
            offset = body["offset"]
            data = read_at(file.fd, offset, min(body["length"], max(0, file.size - offset)))
            is_last = len(data) < body["length"] or offset + len(data) >= file.size
        except BaseException:
            file.close()
            raise
        self._keep_or_close(body["transfer"], file, is_last)
        return {"size": file.size, "is_last": is_last}, data

    def write(self, body, data):
        """Adds a piece to the next content of a file. The last one replaces the file."""
        file = self._take(body, NewFile)
        try:
            file.write(data)
            if body["is_last"]:
                file.finish()
        except BaseException:
            file.close()
            raise
        self._keep_or_close(body["transfer"], file, body["is_last"])

    def release(self, body):
        """Gives a file up that nobody reads or writes to its end."""
        file = self._open.pop(body["transfer"], None)
        if file is not None:
            file.close()

    def release_all(self):
        while self._open:
            self._open.popitem()[1].close()

    def _take(self, body, make):
        if body["is_first"]:
            return make(body["path"])
        if body["transfer"] not in self._open:
            raise Refused("ESTALE", "the transfer was given up; begin again")
        return self._open.pop(body["transfer"])

    def _keep_or_close(self, transfer, file, is_last):
        if is_last:
            file.close()
            return
        self._open[transfer] = file
        if len(self._open) > _MOST_OPEN:
            self._open.pop(next(iter(self._open))).close()

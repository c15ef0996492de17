"""Finds files by their paths and by what is in them."""

import errno
import fnmatch
import os
import re
import stat

from .operations import DEEPEST, MOST_ENTRIES, Listing, describe
from .places import Refused, open_directory, parts_of, place_of
from .transfers import is_being_written, open_file

# So many entries are looked at. More are unusual in a sandbox, and take seconds.
_MOST_SEEN = 100_000
# A longer line is searched in pieces of this many characters.
_LONGEST_PIECE = 1 << 16
# So many characters before and after a match are seen with it if it is where two pieces meet.
_CONTEXT = 2048
_LONGEST_SHOWN = 500
# A file with the character NUL in its beginning is not text.
_BEGINNING = 8192
_ANY_DEPTH = "**"


def glob(body):
    """The paths that match a pattern, relative to `/tmp`, in order."""
    listing = Listing(MOST_ENTRIES)
    tree = _Tree(body["pattern"])
    for path, _, _, _ in tree.walk(body["path"], False):
        if not listing.add(path, path):
            break
    return {"paths": listing.items, "is_truncated": listing.is_truncated or tree.is_incomplete}


def grep(body):
    """The lines that match a regular expression, in the files that match a pattern."""
    try:
        expression = re.compile(body["expression"], re.IGNORECASE if body["ignore_case"] else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise Refused("EINVAL", f"the expression is not a regular expression of Python: {error}") from None
    listing = Listing(min(body["limit"], MOST_ENTRIES))
    tree = _Tree(body["pattern"])
    for path, name, directory, is_file in tree.walk(body["path"], True):
        if not is_file:
            continue
        try:
            fd, state = open_file(name, directory)
        except Refused:
            # A program has just put something else in its place.
            continue
        except OSError as error:
            # Or has just removed it, or put a link in its place. Otherwise the file is there, but was not searched.
            if error.errno not in (errno.ENOENT, errno.ELOOP):
                tree.is_incomplete = True
            continue
        if not _grep_file(expression, listing, path, fd, state):
            break
    return {"matches": listing.items, "is_truncated": listing.is_truncated or tree.is_incomplete}


def tree(body):
    """What is in a directory and below it, except directories. A link is not followed, in no place of the path either."""
    with place_of(body["path"], follow=False) as (parent, name):
        directory = open_directory(name, parent)
    listing = Listing(MOST_ENTRIES)
    entries = _Tree(_ANY_DEPTH)
    try:
        for path, name, inner, _ in entries.below(directory, ""):
            try:
                found = os.stat(name, dir_fd=inner, follow_symlinks=False)
            except FileNotFoundError:
                continue
            if not stat.S_ISDIR(found.st_mode) and not listing.add(describe(path, found), path):
                break
    finally:
        os.close(directory)
    return {"entries": listing.items, "is_truncated": listing.is_truncated or entries.is_incomplete}


def _grep_file(expression, listing, path, fd, state):
    """Adds the matches in an open file, and closes it. Returns whether there was room."""
    # Characters that are cut by the end of a piece stay whole in a file that is read as text.
    with os.fdopen(fd, encoding="utf-8", errors="replace", newline="\n") as file:
        if b"\0" in file.buffer.peek(_BEGINNING)[:_BEGINNING]:
            return True
        # A file that grows meanwhile is read up to the size that it had.
        for number, text in _matching_lines(expression, _pieces(file, state.st_size)):
            if not listing.add({"path": path, "line": number, "text": text}, path + text):
                return False
    return True


def _pieces(file, most):
    """Yields the lines of a text in pieces, and whether each is the last one of its line."""
    piece = file.readline(min(most, _LONGEST_PIECE))
    while piece:
        most -= len(piece)
        following = file.readline(min(most, _LONGEST_PIECE))
        yield piece, not following or piece.endswith("\n")
        piece = following


def _matching_lines(expression, pieces):
    """Yields the number and the text of each line that matches."""
    number, begin, before, is_found = 1, 0, "", False
    for piece, is_last in pieces:
        text = before + piece
        if is_last:
            text = text.rstrip("\r\n")
        match = None if is_found else expression.search(text, begin)
        # A match near the end is looked for again together with what follows. In a search that does not begin at the
        # start of the text, "^" does not match.
        if match and (is_last or match.start() < len(text) - _CONTEXT):
            is_found = True
            yield number, _around(text, match)
        if is_last:
            number, begin, before, is_found = number + 1, 0, "", False
        else:
            begin, before = _CONTEXT, text[-2 * _CONTEXT :]


def _around(text, match):
    """The text around a match, from its start if both fit."""
    if match.end() <= _LONGEST_SHOWN:
        return text[:_LONGEST_SHOWN]
    begin = max(0, min(match.start() - _LONGEST_SHOWN // 2, len(text) - _LONGEST_SHOWN))
    return text[begin : begin + _LONGEST_SHOWN]


class _Tree:
    """The entries below a directory that match a pattern: names with `*`, `?` and `[…]`, and `**` for any depth."""

    def __init__(self, pattern):
        parts = parts_of(pattern) if not pattern.startswith("/") else None
        if not parts:
            raise Refused("EINVAL", "a pattern is a relative path, such as '**/*.csv'")
        self._parts = [None if part == _ANY_DEPTH else re.compile(fnmatch.translate(part)) for part in parts]
        self._seen = 0
        # Whether something was not looked at.
        self.is_incomplete = False

    def walk(self, path, or_file):
        """Yields path, name, directory and whether it is a regular file, for each match below a directory. With `or_file`, the
        path may also be that of a file, which is the only match then.
        """
        prefix = "/".join(parts_of(path))
        with place_of(path) as (parent, name):
            if or_file and stat.S_ISREG(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
                yield prefix, name, parent, True
                return
            directory = open_directory(name, parent)
        try:
            yield from self.below(directory, prefix)
        finally:
            os.close(directory)

    def below(self, directory, prefix):
        """As `walk`, for a directory that is open."""
        return self._below(directory, prefix, self._skip({0}), 0)

    def _below(self, directory, prefix, states, depth):
        with os.scandir(directory) as found:
            entries = sorted((entry for entry in found if not is_being_written(entry.name)), key=lambda entry: entry.name)
        for entry in entries:
            self._seen += 1
            if self._seen > _MOST_SEEN:
                self.is_incomplete = True
                return
            after = self._after(states, entry.name)
            path = f"{prefix}/{entry.name}" if prefix else entry.name
            if len(self._parts) in after:
                yield path, entry.name, directory, entry.is_file(follow_symlinks=False)
            if any(state < len(self._parts) for state in after) and entry.is_dir(follow_symlinks=False):
                yield from self._enter(entry.name, directory, path, after, depth)

    def _enter(self, name, directory, path, states, depth):
        if depth >= DEEPEST:
            self.is_incomplete = True
            return
        try:
            inner = open_directory(name, directory)
        except FileNotFoundError:
            # A program has just removed it.
            return
        except OSError:
            self.is_incomplete = True
            return
        try:
            yield from self._below(inner, path, states, depth + 1)
        finally:
            os.close(inner)

    def _after(self, states, name):
        """The places in the pattern that are possible after this name, of those before it."""
        after = set()
        for state in states:
            if state == len(self._parts):
                continue
            part = self._parts[state]
            if part is None:
                after.add(state)
            elif part.match(name):
                after.add(state + 1)
        return self._skip(after)

    def _skip(self, states):
        """Adds the places after `**`, which matches no directory too."""
        left = list(states)
        for state in left:
            if state < len(self._parts) and self._parts[state] is None and state + 1 not in states:
                states.add(state + 1)
                left.append(state + 1)
        return states

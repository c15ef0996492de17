"""Writes what is in the buffers of the files that a program left open. They stay open, because a later program may go on
writing to them.

Programs can derive from the types of files, and replace methods of single files. What is called here must neither fail nor
block, so this handles only files whose methods are all Python's own, and only regular files.
"""

import fcntl
import gc
import os
import sys
from _io import BufferedRandom, BufferedWriter, FileIO, TextIOWrapper
from _weakrefset import WeakSet

_MAX_REPORTED = 20
# Classes whose files are complete only when they are closed, by the names of their modules.
_ARCHIVES = {
    "zipfile": "ZipFile",
    "tarfile": "TarFile",
    "gzip": "GzipFile",
    "bz2": "BZ2File",
    "lzma": "LZMAFile",
    "compression.zstd": "ZstdFile",
}
# The attributes in which these have the file below them, and their modes if they read it.
_FILES_BELOW = ("fp", "fileobj", "_fp")
_READING = ("r", "rb", 1)
# Archives that were reported. One that stays open is reported once.
_reported = WeakSet()


def finish(descriptors):
    """Writes the buffers of regular files, and returns warnings about those that are incomplete nevertheless."""
    written = {number for number in descriptors if _is_written(number)}
    if not written:
        return []
    # By their ids, because a program can define how a type is compared.
    archives = set(map(id, _archive_types()))
    kinds = archives.union(map(id, (BufferedRandom, BufferedWriter, TextIOWrapper)))
    found = [thing for thing in gc.get_objects() if id(type(thing)) in kinds]
    # The program knows the `TarFile` that it opened, and not the archive to which that writes.
    found.sort(key=lambda thing: type(thing).__name__ != "TarFile")
    warnings = {}
    for file in found:
        number = _descriptor(file)
        if number in written:
            try:
                # Not `file.flush()`, which a program can replace.
                type(file).flush(file)
            except Exception as error:
                warnings[number] = f"{_name(number)} lacks what could not be written to it: {error}"
    for archive in found:
        if id(type(archive)) in archives and archive not in _reported:
            number = _descriptor(_file_below(archive, archives))
            if number in written:
                _reported.add(archive)
                kind = type(archive).__name__
                advice = f"the program ended before it closed this {kind}; use `with`, or call its close()"
                warnings.setdefault(number, f"{_name(number)} is incomplete, because {advice}")
    return list(warnings.values())[:_MAX_REPORTED]


def _is_written(number):
    return fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY


def _descriptor(file):
    """Returns the descriptor of an open file whose methods are all Python's own, as are those of its buffer; otherwise None."""
    try:
        buffer = file.buffer if type(file) is TextIOWrapper else file
        if not (type(buffer) is BufferedWriter or type(buffer) is BufferedRandom) or buffer.__dict__:
            return None
        # `open` sets the name.
        if type(buffer.raw) is not FileIO or buffer.raw.__dict__.keys() - {"name"}:
            return None
        return buffer.raw.fileno()
    except ValueError:
        # It is closed, or its buffer was detached.
        return None


def _archive_types():
    modules = [(sys.modules.get(module), name) for module, name in _ARCHIVES.items()]
    types = [getattr(module, name, None) for module, name in modules if module is not None]
    return [kind for kind in types if isinstance(kind, type)]


def _file_below(archive, archives):
    """Returns the file to which an archive writes; None if it does not write. An archive may write to another one."""
    file = archive
    # A program may have made one that leads to itself.
    for _ in archives:
        if id(type(file)) not in archives:
            break
        values = file.__dict__
        if values.get("mode", values.get("_mode")) in _READING or values.get("closed") or not values.get("_didModify", True):
            return None
        file = next((values[name] for name in _FILES_BELOW if values.get(name) is not None), None)
    return file


def _name(number):
    return repr(os.readlink(f"/proc/self/fd/{number}"))

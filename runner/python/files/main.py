"""The process for files: it answers the requests that arrive, until its input ends."""

import os

from ..shared.frames import DataLineSplitter, split_data
from .server import FileServer
from .transfers import write_all

# The capacity of a pipe.
_READ_SIZE = 1 << 16


def main(request_read, answer_write, is_first):
    """`is_first` is whether no such process was there before, which may have been killed."""
    if not is_first:
        from .left_parts import remove_parts

        remove_parts()
    server = FileServer()
    lines = DataLineSplitter()
    try:
        while data := os.read(request_read, _READ_SIZE):
            for line in lines.push(data):
                write_all(answer_write, server.answer(*split_data(line)))
    finally:
        server.close()

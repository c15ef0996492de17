"""The standard streams of programs."""

import io
import os
import sys


def renew_streams():
    """Sets the streams for the next program, because the last one may have changed them."""
    _renew("stdin", lambda: open(os.devnull))
    _renew("stdout", lambda: _open_output(1))
    _renew("stderr", lambda: _open_output(2))


def _renew(name, open_stream):
    """Opens a standard stream again if the program has closed or replaced it.

    A stream that was replaced is not used again, because another stream around it closes it when it is deleted.
    """
    stream, first = _current(name)
    if stream is None or stream is not first or not _is_open(stream):
        stream = open_stream()
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def finish_streams(warnings):
    """Prints warnings to the standard error of a program that has ended, and flushes what it printed."""
    for name in ("stdout", "stderr"):
        stream, first = _current(name)
        try:
            if stream is not first:
                # It may contain text from before the program replaced the stream.
                first.flush()
        except Exception:
            pass
        try:
            for warning in warnings if name == "stderr" else ():
                print(f"Warning: {warning}", file=stream)
            stream.flush()
        except Exception:
            # A program may close or replace its streams.
            pass


def _current(name):
    """Returns a standard stream, and the one with which the program began. A program may have deleted them."""
    return getattr(sys, name, None), getattr(sys, f"__{name}__", None)


def _is_open(stream):
    try:
        return not stream.closed
    except ValueError:
        # Its buffer was detached.
        return False


def _open_output(fd):
    """Returns a text stream on `fd` that writes each line at once and accepts any text."""
    raw = io.FileIO(fd, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", newline="\n", line_buffering=True
    )

"""Waits for descriptors, and writes to those that do not take all at once."""

import os
import select

# What a pipe holds.
READ_SIZE = 1 << 16


class Loop:
    """Calls the handler of each descriptor that can be read, or that has lost its other end."""

    def __init__(self):
        self._poll = select.poll()
        self._handlers = {}

    def watch(self, fd, handler, events=select.POLLIN):
        self._handlers[fd] = handler
        self._poll.register(fd, events)

    def forget(self, fd):
        del self._handlers[fd]
        self._poll.unregister(fd)

    def turn(self, timeout_ms):
        """Waits once, at most so long; None is for ever."""
        for fd, _ in self._poll.poll(timeout_ms):
            # One before it may have ended it.
            handler = self._handlers.get(fd)
            if handler is not None:
                handler()


class Writer:
    """Writes to a pipe as it takes more, and notices when nobody is left to read it."""

    def __init__(self, loop, fd, on_gone):
        os.set_blocking(fd, False)
        self._loop = loop
        self._fd = fd
        self._on_gone = on_gone
        self._untaken = bytearray()
        # Without events: an error is told all the same.
        loop.watch(fd, self._push, 0)

    def write(self, data):
        self._untaken += data
        self._push()

    def close(self):
        self._loop.forget(self._fd)
        os.close(self._fd)

    def _push(self):
        try:
            # Nothing is written for nothing: that would not tell of the other end.
            if self._untaken:
                del self._untaken[: os.write(self._fd, self._untaken)]
            elif _is_gone(self._fd):
                raise BrokenPipeError
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._untaken.clear()
            self._on_gone()
            return
        self._loop.watch(self._fd, self._push, select.POLLOUT if self._untaken else 0)

    @property
    def is_done(self):
        """Whether all has been taken."""
        return not self._untaken


def _is_gone(fd):
    poll = select.poll()
    poll.register(fd, 0)
    return bool(poll.poll(0))

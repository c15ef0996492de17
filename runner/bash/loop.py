"""Waits for descriptors, and writes to those that do not accept everything at once."""

import os
import select

# The capacity of a pipe.
READ_SIZE = 1 << 16


class Loop:
    """Calls the handler of each descriptor that can be read, or whose other end was closed."""

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
        """Waits once, at most for this time; None means without a limit."""
        for fd, _ in self._poll.poll(timeout_ms):
            # A handler before may have removed it.
            handler = self._handlers.get(fd)
            if handler is not None:
                handler()


class Writer:
    """Writes to a pipe as it accepts more, and notices when no reader is left."""

    def __init__(self, loop, fd, on_gone):
        os.set_blocking(fd, False)
        self._loop = loop
        self._fd = fd
        self._on_gone = on_gone
        self._untaken = bytearray()
        # Without events: an error is reported nevertheless.
        loop.watch(fd, self._push, 0)

    def write(self, data):
        self._untaken += data
        self._push()

    def close(self):
        self._loop.forget(self._fd)
        os.close(self._fd)

    def _push(self):
        try:
            # Writing b"" would not tell whether the other end was closed.
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
        """Whether everything has been written."""
        return not self._untaken


def _is_gone(fd):
    poll = select.poll()
    poll.register(fd, 0)
    return bool(poll.poll(0))

"""The supervisor's end of the pipes to the process for files, which has the rights of a program. A program can kill or
stop it, so nothing here waits for it, and what it sends is checked like the messages of a guest.
"""

import os
import select

import _signal as signal
from _collections import deque

from ..shared import processes
from ..shared.frames import FILE_ANSWER, DataLineSplitter, FrameError, decode, encode, split_data
from . import system
from .guests import process

# The capacity of a pipe.
_READ_SIZE = 1 << 16
# More than an answer has: 256 KiB of data, or a list of entries.
_LONGEST_ANSWER = 1 << 20

_ENDED = {"errno": "EPIPE", "message": "the process that does it was killed; request it again"}
_CANCELLED = {"errno": "ECANCELED", "message": "it was cancelled"}


class FileProcess:
    """Starts with the first request, and again with the first one after its end. `listen` registers the handler of a
    descriptor. `tell` writes a frame to the host. `guests` keeps the process when a program ends.
    """

    def __init__(self, poll, listen, tell, guests):
        self._poll = poll
        self._listen = listen
        self._tell = tell
        self._guests = guests
        self._pid = None
        self._is_first = True
        # The ids of the requests that are not answered, in their order.
        self._waiting = deque()
        # What the process has not read yet. The host has few requests under way at a time, each of at most one piece.
        self._untaken = bytearray()

    def request(self, request_id, line):
        """Passes a request on."""
        self._waiting.append(request_id)
        if self._pid is None:
            try:
                self._start()
            except OSError as failure:
                self._end(system.describe_error(failure))
                return
        # A program may have stopped it.
        processes.send(self._pid, signal.SIGCONT)
        self._untaken += line
        self._push()

    def cancel(self, request_id):
        """Ends the process if it has not answered this request. Nothing else stops what it does."""
        if request_id in self._waiting:
            self._end(_CANCELLED)

    def on_reaped(self, pids):
        """These children have ended."""
        if self._pid in pids:
            self._end(_ENDED)

    def _start(self):
        request_read, request_write = os.pipe()
        answer_read, answer_write = os.pipe()
        try:
            pid = os.fork()
        except OSError:
            for fd in (request_read, request_write, answer_read, answer_write):
                os.close(fd)
            raise
        if pid == 0:
            _become_file_process(request_read, answer_write, self._is_first)
        os.close(request_read)
        os.close(answer_write)
        self._is_first = False
        self._pid, self._write, self._read = pid, request_write, answer_read
        self._lines = DataLineSplitter(_LONGEST_ANSWER)
        self._guests.keep(pid)
        for fd, handle, events in ((self._write, self._push, 0), (self._read, self._on_answers, select.POLLIN)):
            os.set_blocking(fd, False)
            self._listen(fd, handle)
            self._poll.register(fd, events)

    def _push(self):
        if self._pid is None:
            # It was ended after `poll` had returned.
            return
        del self._untaken[: system.write_some(self._write, self._untaken)]
        self._poll.register(self._write, select.POLLOUT if self._untaken else 0)

    def _on_answers(self):
        if self._pid is None:
            return
        try:
            for line in self._lines.push(system.read_some(self._read, _READ_SIZE)):
                _check_answer(line, self._waiting)
                self._waiting.popleft()
                self._tell(line)
        except FrameError:
            self._end(_ENDED)

    def _end(self, error):
        """Ends the process, if there is one, and answers the requests that it has not answered."""
        if self._pid is not None:
            processes.send(self._pid, signal.SIGKILL)
            self._guests.give_up(self._pid)
            self._pid = None
            for fd in (self._read, self._write):
                system.unregister(self._poll, fd)
                os.close(fd)
        self._untaken.clear()
        while self._waiting:
            body = {"request_id": self._waiting.popleft(), "error": error, "result": None}
            self._tell(encode(FILE_ANSWER, body))


def _check_answer(line, waiting):
    """Raises `FrameError` for what the process would not send if it did only what it is meant to do."""
    _, body = decode(split_data(line)[1], (FILE_ANSWER,))
    error = body.get("error")
    if not waiting or body.get("request_id") != waiting[0]:
        raise FrameError("an answer to another request")
    if error is not None and not (type(error) is dict and all(type(error.get(name)) is str for name in ("errno", "message"))):
        raise FrameError("an answer with a wrong error")


def _become_file_process(request_read, answer_write, is_first):
    """Releases everything of the supervisor, and answers requests. Never returns. Like the supervisor, it is protected
    from other processes, and ignores all signals that can be ignored.
    """
    status = 1
    try:
        process.leave_supervisor()
        # What Python prints, such as the warning about an expression, must not get between the answers.
        ignored = os.open(os.devnull, os.O_WRONLY)
        process.keep_descriptors((process.open_empty(), ignored, ignored, request_read, answer_write), ())
        from ..files.main import main

        main(request_read=3, answer_write=4, is_first=is_first)
        status = 0
    finally:
        os._exit(status)

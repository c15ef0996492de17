"""The output of a program on its way to the host: decoded, split into frames, limited."""

import codecs
from _collections import deque

from ...shared.frames import OUTPUT_DELTA, encode


_Decoder = codecs.getincrementaldecoder("utf-8")


# The size of the parts of the tail, so that lines are not kept one by one.
_TAIL_PART_SIZE = 1 << 16


class OutputRelay:
    """One output stream of a program. The head is sent as it arrives; of the rest, the end is kept until the program
    ends.
    """

    def __init__(self, stream):
        self._stream = stream
        self._decoder = _Decoder("replace")
        self.start(None, 0)

    def start(self, execution_id, limit):
        """Begins a program that can print `limit` bytes before output is left out."""
        self._execution_id = execution_id
        self._head_left = limit - limit // 2
        self._tail_limit = limit // 2
        self._tail = deque()
        self._tail_size = 0
        self._omitted = 0
        self._decoder.reset()

    def push(self, data):
        """Adds output of the program, and returns the frame to send now, which may be empty."""
        head = data[: self._head_left]
        self._head_left -= len(head)
        if len(head) < len(data):
            self._keep(data[len(head) :])
        return self._frame(self._decoder.decode(head), 0)

    def finish(self):
        """Ends the program, and yields the frames of the output that was kept."""
        omitted = self._omitted
        if omitted:
            # A cut may have split a character. Its remaining bytes are dropped too.
            omitted += self._drop_broken_character() + len(self._decoder.getstate()[0])
            self._decoder.reset()
        while self._tail:
            data = self._tail.popleft()
            yield self._frame(self._decoder.decode(data), omitted)
            omitted = 0
        yield self._frame(self._decoder.decode(b"", True), omitted)
        self.start(None, 0)

    def _drop_broken_character(self):
        """Removes the rest of a split character from the start of the tail, and returns its length."""
        dropped = 0
        while dropped < 3 and self._tail and self._tail[0][0] & 0xC0 == 0x80:
            del self._tail[0][0]
            if not self._tail[0]:
                self._tail.popleft()
            dropped += 1
        return dropped

    def _keep(self, data):
        if self._tail and len(self._tail[-1]) + len(data) <= _TAIL_PART_SIZE:
            self._tail[-1] += data
        else:
            self._tail.append(bytearray(data))
        self._tail_size += len(data)
        while self._tail_size > self._tail_limit:
            excess = self._tail_size - self._tail_limit
            dropped = min(len(self._tail[0]), excess)
            # Fast: removing from the front of a `bytearray` moves no bytes.
            del self._tail[0][:dropped]
            if not self._tail[0]:
                self._tail.popleft()
            self._tail_size -= dropped
            self._omitted += dropped

    def _frame(self, text, omitted):
        if not text and not omitted:
            return b""
        return encode(
            OUTPUT_DELTA, {"execution_id": self._execution_id, "stream": self._stream, "text": text, "omitted_bytes": omitted}
        )

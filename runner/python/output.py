"""What a program prints, on its way to the host: decoded, cut into frames, bounded."""

import codecs
from _collections import deque

from .frames import OUTPUT_CHUNK, encode


_Decoder = codecs.getincrementaldecoder("utf-8")


class OutputRelay:
    """One output stream of a program. The head goes out as it comes; of the rest, the end is kept until the run is over."""

    def __init__(self, stream):
        self._stream = stream
        self._decoder = _Decoder("replace")
        self.start(None, 0)

    def start(self, execution_id, limit):
        """Begins a run that may print `limit` bytes before something is left out."""
        self._execution_id = execution_id
        self._head_left = limit - limit // 2
        self._tail_limit = limit // 2
        self._tail = deque()
        self._tail_size = 0
        self._omitted = 0
        self._decoder.reset()

    def push(self, data):
        """Takes bytes that the program wrote and gives the frame that goes out now, which may be empty."""
        head = data[: self._head_left]
        self._head_left -= len(head)
        if len(head) < len(data):
            self._keep(data[len(head) :])
        return self._frame(self._decoder.decode(head), 0)

    def finish(self):
        """Ends the run and gives the frame of what was kept, which may be empty."""
        tail = b"".join(self._tail)
        omitted = self._omitted
        if omitted:
            # The cuts may have gone through characters: what is left of those goes too.
            start = 0
            while start < min(3, len(tail)) and tail[start] & 0xC0 == 0x80:
                start += 1
            omitted += start + len(self._decoder.getstate()[0])
            tail = tail[start:]
            self._decoder.reset()
        frame = self._frame(self._decoder.decode(tail, True), omitted)
        self.start(None, 0)
        return frame

    def _keep(self, data):
        self._tail.append(data)
        self._tail_size += len(data)
        while self._tail_size > self._tail_limit:
            excess = self._tail_size - self._tail_limit
            first = self._tail.popleft()
            if len(first) > excess:
                self._tail.appendleft(first[excess:])
            dropped = min(len(first), excess)
            self._tail_size -= dropped
            self._omitted += dropped

    def _frame(self, text, omitted):
        if not text and not omitted:
            return b""
        return encode(OUTPUT_CHUNK, {
            "execution_id": self._execution_id,
            "stream": self._stream,
            "text": text,
            "omitted_bytes": omitted,
        })

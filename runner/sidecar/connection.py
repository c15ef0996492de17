"""A connection of a host, by the two descriptors of a relay."""

import os
import select

from .packets import PacketReader, packet
from .unix_sockets import receive

_CHUNK = 1 << 16


class HostGone(Exception):
    """The connection has ended."""


class HostConnection:
    """Reads and writes packets. Nothing blocks."""

    def __init__(self, relay):
        self._relay = relay
        self._input = None
        self._output = None
        self._reader = PacketReader()
        self._waiting = bytearray()

    @property
    def has_room(self):
        """Whether more may be sent. What the host must read anyway, such as answers, is sent without asking."""
        return len(self._waiting) < _CHUNK

    @property
    def is_full(self):
        """Whether something waits until the host takes more."""
        return bool(self._waiting)

    def interests(self):
        """Returns pairs of a descriptor and the events to wait for."""
        if self._input is None:
            return [(self._relay.fileno(), select.POLLIN)]
        reading = [(self._input, select.POLLIN)]
        return reading + ([(self._output, select.POLLOUT)] if self.is_full else [])

    def receive(self):
        """Returns the packets that have arrived. Raises HostGone at the end."""
        if self._input is None:
            self._take_descriptors()
            return []
        try:
            data = os.read(self._input, _CHUNK)
        except BlockingIOError:
            return []
        except OSError as error:
            raise HostGone from error
        if not data:
            raise HostGone
        return self._reader.push(data)

    def send(self, kind, body=b""):
        """Sends a packet. Raises HostGone if the host no longer reads."""
        self.send_packet(packet(kind, body))

    def send_packet(self, data):
        """Sends the bytes of a packet. Raises HostGone if the host no longer reads."""
        self._waiting += data
        self.flush()

    def flush(self):
        """Writes as much as the host takes now."""
        try:
            while self._waiting:
                del self._waiting[: os.write(self._output, self._waiting)]
        except BlockingIOError:
            pass
        except OSError as error:
            raise HostGone from error

    def close(self):
        """Ends the relay."""
        for descriptor in (self._input, self._output):
            if descriptor is not None:
                os.close(descriptor)
        self._relay.close()

    def _take_descriptors(self):
        descriptors = receive(self._relay, 1, 2)[1]
        if len(descriptors) != 2:
            for descriptor in descriptors:
                os.close(descriptor)
            raise HostGone
        self._input, self._output = descriptors
        for descriptor in descriptors:
            os.set_blocking(descriptor, False)

"""Passes bytes between the runner and its host, and keeps them while there is no connection."""

import os
import select

from .connection import HostConnection, HostGone
from .kept_output import KeptOutput
from .line_starts import LineStarts
from .memory import bytes_used
from .packets import LONGEST, VERSION, WINDOW, PacketError, number, read_hello, read_number
from .unix_sockets import accept

# The runner's input is confirmed in steps of this many bytes.
_STEP = 1 << 16
_MOST_NEWCOMERS = 8


class Sidecar:
    """One runner and its host. A host has an epoch, which is higher than that of the host before it. The same host can
    connect again with the same epoch, and goes on where its last connection ended.
    """

    def __init__(self, streams, listener, patience, facts, counters):
        """Takes the runner's streams, the socket on which relays connect, the `Patience` of the runner, what each host is told
        of the pod, and the counters of the runner's memory.
        """
        self._facts = facts
        self._counters = counters
        self._streams = streams
        self._listener = listener
        self._patience = patience
        self._epoch = 0
        self._host = None
        # Connections that have not said yet who they are.
        self._newcomers = []
        self._output = KeptOutput()
        self._kinds = {streams.output: b"O", streams.error: b"E"}
        self._lines = {descriptor: LineStarts() for descriptor in self._kinds}
        # The streams whose current line began for the host before.
        self._cut_lines = set()
        self._has_said_end = False
        self._input = bytearray()
        # Bytes of input: that arrived, that the runner took, and of which the host knows that it did.
        self._arrived = 0
        self._taken = 0
        self._confirmed = 0
        self._poll = None
        self._handlers = {}
        # What decided which descriptors `_poll` waits for; None if it is to be made anew.
        self._waits_for = None

    def run(self):
        """Returns when the runner has ended and its host has everything, or no host was there for too long."""
        while True:
            self._renew_poll()
            for descriptor, _ in self._poll.poll(None if self._host else self._patience.seconds_left() * 1000):
                self._handlers[descriptor]()
            if self._is_done() or (self._host is None and self._patience.is_over()):
                return
            self._send_output()

    def _renew_poll(self):
        """Makes `_poll`, unless it is as it must be. While programs run, it nearly always is."""
        host = self._host
        waits_for = (host, host is not None and host.is_full, self._output.is_full, bool(self._input), len(self._kinds))
        if waits_for == self._waits_for:
            return
        self._waits_for = None if self._newcomers else waits_for
        self._poll = select.poll()
        self._handlers = {}
        for descriptor, events, handle in self._interests():
            self._poll.register(descriptor, events)
            self._handlers[descriptor] = handle

    def _interests(self):
        yield self._listener.fileno(), select.POLLIN, self._accept
        for newcomer in self._newcomers:
            for descriptor, events in newcomer.interests():
                yield descriptor, events, lambda newcomer=newcomer: self._meet(newcomer)
        if self._host:
            for descriptor, events in self._host.interests():
                yield descriptor, events, self._flush if events == select.POLLOUT else self._read_host
        if not self._output.is_full:
            for descriptor in self._kinds:
                yield descriptor, select.POLLIN, lambda descriptor=descriptor: self._read_runner(descriptor)
        if self._input:
            yield self._streams.input, select.POLLOUT, self._resume_input

    def _accept(self):
        self._waits_for = None
        self._newcomers.append(HostConnection(accept(self._listener)))
        if len(self._newcomers) > _MOST_NEWCOMERS:
            self._newcomers.pop(0).close()

    def _meet(self, newcomer):
        """Reads the hello of a newcomer. Only then is the connection before it given up."""
        if newcomer not in self._newcomers:
            return
        try:
            packets = newcomer.receive()
            if not packets:
                return
            kind, body = packets.pop(0)
            if kind != b"H":
                raise PacketError("a host does not say hello")
            version, epoch, received = read_hello(body)
            refusal = self._refusal(version, epoch)
            if refusal is not None:
                newcomer.send(b"R", refusal.encode())
                raise HostGone
            # A relay that starts late may be of an attempt that its host has given up. It must not end a later one.
            packets += newcomer.receive()
        except (HostGone, PacketError):
            self._newcomers.remove(newcomer)
            newcomer.close()
            return
        self._newcomers.remove(newcomer)
        self._welcome(newcomer, epoch, received, packets)

    def _refusal(self, version, epoch):
        if version != VERSION:
            return f"the sidecar has version {VERSION} of the packets, and the host version {version}"
        if epoch < self._epoch:
            return f"a host with epoch {self._epoch} has taken over, and this one has epoch {epoch}"
        if self._epoch and epoch > self._epoch and not self._kinds:
            return "the runner has ended"
        return None

    def _welcome(self, newcomer, epoch, received, packets):
        self._leave_host()
        if epoch == self._epoch:
            self._output.rewind(received)
        elif self._epoch:
            self._forget_host()
        # What was said over the last connection may not have arrived.
        self._confirmed = 0
        self._epoch = epoch
        self._host = newcomer
        self._has_said_end = False
        self._do(lambda: newcomer.send(b"F", self._facts))
        self._do(lambda: newcomer.send(b"W", number(self._arrived)))
        self._do(self._confirm_input)
        self._do(lambda: self._take(packets))

    def _forget_host(self):
        """The next host gets nothing that was meant for the one before, and nothing from the middle of a line. It ends what
        that one left of a line of input.
        """
        self._output.clear()
        self._cut_lines = {descriptor for descriptor in self._kinds if self._lines[descriptor].is_within_line}
        self._input.clear()
        self._arrived = self._taken = 0

    def _read_host(self):
        self._do(lambda: self._take(self._host.receive()))

    def _flush(self):
        self._do(lambda: self._host.flush())

    def _do(self, action):
        """Does something with the host, which is left if it does not work."""
        if self._host is None:
            return
        try:
            action()
        except (HostGone, PacketError):
            self._leave_host()

    def _leave_host(self):
        if self._host is not None:
            self._host.close()
            self._host = None
            self._patience.begin()

    def _take(self, packets):
        for kind, body in packets:
            if kind == b"D":
                self._arrived += len(body)
                self._input += body
                if len(self._input) > WINDOW + LONGEST:
                    raise PacketError("a host sends more than the runner takes")
                self._write_runner()
                self._confirm_input()
            elif kind == b"A":
                self._output.confirm(read_number(body))
            elif kind == b"P":
                self._host.send(b"P", body)
            elif kind == b"M":
                used = bytes_used(self._counters)
                self._host.send(b"M", b"" if used is None else number(used))
            else:
                raise PacketError(f"a host sends {kind}")

    def _resume_input(self):
        self._write_runner()
        self._do(self._confirm_input)

    def _write_runner(self):
        try:
            while self._input:
                written = os.write(self._streams.input, self._input)
                del self._input[:written]
                self._taken += written
        except BlockingIOError:
            pass
        except BrokenPipeError:
            # The runner has ended. The end of its output tells the host.
            self._input.clear()

    def _confirm_input(self):
        if self._taken - self._confirmed >= _STEP:
            self._confirmed = self._taken
            self._host.send(b"A", number(self._taken))

    def _read_runner(self, descriptor):
        data = os.read(descriptor, LONGEST)
        if not data:
            del self._kinds[descriptor]
            if not self._kinds:
                self._patience.runner_ended()
            return
        first = self._lines[descriptor].push(data)
        if descriptor in self._cut_lines:
            if first is None:
                return
            self._cut_lines.discard(descriptor)
            data = data[first:]
        if data:
            self._output.add(self._kinds[descriptor], data)

    def _send_output(self):
        self._do(self._send_next)

    def _send_next(self):
        while self._host.has_room:
            packet = self._output.take_next()
            if packet is None:
                if not self._kinds and not self._has_said_end:
                    self._has_said_end = True
                    self._host.send(b"X")
                return
            self._host.send_packet(packet)

    def _is_done(self):
        return self._has_said_end and self._output.is_confirmed

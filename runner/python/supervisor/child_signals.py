"""SIGCHLD, which tells the supervisor that a child has ended and, if enabled, that one has stopped or continued."""

import os
import sys

import _signal as signal

_SIGNAL_MASK_BYTES = 128
_SA_NOCLDSTOP = 1
# The layout of `struct sigaction`: a pointer, the mask, and the flags.
_FLAGS = (8 if sys.maxsize > 1 << 32 else 4) + _SIGNAL_MASK_BYTES


class ChildSignals:
    """Makes `fd` readable when a child ends and, while `report_stops(True)` is set, when one stops or continues. The
    supervisor itself stops and continues a child for each program, and a signal takes time, so these are not
    reported.
    """

    def __init__(self):
        self.fd, write_fd = os.pipe()
        for fd in (self.fd, write_fd):
            os.set_blocking(fd, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(write_fd, warn_on_full_buffer=False)
        self._set_action = None

    def report_stops(self, are_told):
        """Sets whether stopping and continuing of a child is reported."""
        if self._set_action is None:
            self._load()
        self._set_action(self._actions[are_told])

    def _load(self):
        """Looks up `sigaction` of the C library, because Python cannot set flags of signal handlers. Takes a while."""
        import _ctypes

        class Byte(_ctypes._SimpleCData):
            _type_ = "B"

        class Action(_ctypes.Array):
            _type_ = Byte
            _length_ = 256

        call = _ctypes.call_function
        sigaction = _ctypes.dlsym(_ctypes.dlopen(None, 0), "sigaction")
        told = Action()
        call(sigaction, (signal.SIGCHLD, None, told))
        untold = Action.from_buffer_copy(told)
        untold[_FLAGS] |= _SA_NOCLDSTOP
        self._actions = {True: told, False: untold}
        self._set_action = lambda action: call(sigaction, (signal.SIGCHLD, action, None))

"""SIGCHLD, by which the supervisor learns of its children: always that one ended, if asked also that one went on."""

import os
import sys

import _signal as signal

_SIGNAL_MASK_BYTES = 128
_SA_NOCLDSTOP = 1
# `struct sigaction` is a pointer, the mask, and the flags.
_FLAGS = (8 if sys.maxsize > 1 << 32 else 4) + _SIGNAL_MASK_BYTES


class ChildSignals:
    """
    `fd` has something to read whenever a child ended, or stopped or went on while `tell_stops(True)` holds. Each run
    stops a child and lets it go on, and a signal takes time: so those of the supervisor's own doing are not told.
    """

    def __init__(self):
        self.fd, write_fd = os.pipe()
        for fd in (self.fd, write_fd):
            os.set_blocking(fd, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(write_fd, warn_on_full_buffer=False)
        self._set_action = None

    def tell_stops(self, are_told):
        """Sets whether it is told that a child stopped or went on."""
        if self._set_action is None:
            self._load()
        self._set_action(self._actions[are_told])

    def _load(self):
        """Finds the kernel's call, for Python sets no flags of signals. Takes a while."""
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

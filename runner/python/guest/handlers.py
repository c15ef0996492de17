"""The signal handlers that programs installed. They stay from one program to the next, as in a Python prompt."""

# Bound now, because a program may replace them in their module.
from _signal import NSIG, getsignal
from _signal import signal as set_handler

# More than handlers raise while this looks for them.
_MOST_TRIES = 1000


class Handlers:
    """Keeps what handlers raise between programs from the code that runs programs: it could be raised anywhere there, and
    would end the interpreter.
    """

    def __init__(self, own):
        # The handler of the guest itself, which knows when it may raise.
        self._own = own
        self.is_holding = False
        self._has_held = False
        # How many exceptions were dropped and not told of yet.
        self.dropped = 0

    def hold(self):
        """Drops what handlers raise from now on, until `release`. To be called again if code of the program ran since, which may
        have installed others.
        """
        self.is_holding = True
        for tries_left in reversed(range(_MOST_TRIES)):
            try:
                for number in range(1, NSIG):
                    handler = getsignal(number)
                    if callable(handler) and handler is not self._own and type(handler) is not _Held:
                        self._has_held = True
                        set_handler(number, _Held(self, handler))
                return
            except BaseException:
                # A program has replaced what this uses.
                if tries_left == 0:
                    raise
                # What a handler that is not held yet raised just now.
                self.dropped += 1

    def release(self):
        """Lets handlers raise what they want, in the program that begins."""
        self.is_holding = False
        if not self._has_held:
            return
        self._has_held = False
        for number in range(1, NSIG):
            handler = getsignal(number)
            if type(handler) is _Held:
                set_handler(number, handler.handler)

    def take_dropped(self):
        """Returns how many exceptions were dropped since the last call."""
        dropped, self.dropped = self.dropped, 0
        return dropped


class _Held:
    """Takes the place of a handler."""

    def __init__(self, handlers, handler):
        self._handlers = handlers
        self.handler = handler

    def __call__(self, number, frame):
        if not self._handlers.is_holding:
            # It came before `release` was through.
            self.handler(number, frame)
            return
        try:
            try:
                self.handler(number, frame)
            finally:
                # It may have installed itself again.
                self._handlers.hold()
        except BaseException:
            self._handlers.dropped += 1
            # Another one may have raised before it was held.
            self._handlers.hold()

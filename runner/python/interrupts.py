"""Interrupts that come up in a program and not in what carries it."""

import sys
from _signal import SIGINT, signal

# Raised in the midst of these, an interrupt would lose a message, or leave a task half entered.
_MACHINERY = ("asyncio", "ptc_runner", "selectors")
# What the machinery uses on its way.
_HELPERS = ("_weakrefset", "weakref")


class Interrupts:
    """Raises KeyboardInterrupt for the signal of that name, where a program runs or waits."""

    def __init__(self, safe):
        # Code of the machinery in which it may be raised all the same: where it waits.
        self._safe = safe
        self._came_early = False
        self.wanted = False

    def install(self):
        signal(SIGINT, self._on_signal)

    def begin(self):
        """Has the program that now begins stopped by interrupts, and by one that came for it already."""
        self.wanted = True
        if self._came_early:
            raise KeyboardInterrupt

    def forget(self):
        """An interrupt that came too late for its program is for no other."""
        self._came_early = False

    def _on_signal(self, _number, frame):
        if not self.wanted:
            self._came_early = True
        elif self._is_safe(frame):
            raise KeyboardInterrupt
        else:
            # Looks again at each line that is reached from here.
            sys.settrace(self._on_event)
            while frame is not None:
                frame.f_trace = self._on_event
                frame = frame.f_back

    def _on_event(self, frame, event, _argument):
        if not self.wanted:
            sys.settrace(None)
        elif event == "line" and self._is_safe(frame):
            sys.settrace(None)
            raise KeyboardInterrupt
        return self._on_event

    def _is_safe(self, frame):
        while frame is not None:
            code, name = frame.f_code, frame.f_globals.get("__name__")
            package = name.partition(".")[0] if type(name) is str else ""
            if package in _MACHINERY:
                return code in self._safe or (package == "selectors" and code.co_name == "select")
            if package not in _HELPERS:
                return True
            frame = frame.f_back
        return True

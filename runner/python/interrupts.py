"""Interrupts that come up in a program and not in what carries it."""

import os
import sys
from _signal import SIGINT, signal

from . import first_imports

# Raised in the midst of these, an interrupt would lose a message, or leave a task half entered.
_MACHINERY = ("asyncio", "ptc_runner", "selectors")
_STANDARD_LIBRARY = (os.path.dirname(os.__file__) + os.sep, "<frozen ", "<string>")


class Interrupts:
    """Raises KeyboardInterrupt for the signal of that name, where a program runs or waits."""

    def __init__(self, safe):
        # Code of the machinery in which it may be raised all the same: where it waits.
        self._safe = safe
        self._came_early = False
        # Whether the program has had one, so that the message which follows is not about a later one.
        self._came = False
        # Whether it is raised and on its way, and the frame that it has reached.
        self._is_raised = False
        self._reached = None
        self.wanted = False
        sys.unraisablehook = self._on_unraisable

    def install(self):
        signal(SIGINT, self._on_signal)

    def begin(self):
        """Has the program that now begins stopped by interrupts, and by one that came for it already."""
        self.wanted = True
        self._came = self._came_early
        self._came_early = False
        if self._came:
            raise KeyboardInterrupt

    def forget(self):
        """An interrupt that came too late for its program is for no other; one that the program had is spent."""
        if self._came:
            self._came = False
        else:
            self._came_early = False

    def _on_signal(self, _number, frame):
        if not self.wanted:
            self._came_early = True
            return
        self._came = True
        self._is_raised = self._is_safe(frame)
        self._watch(frame)
        if self._is_raised:
            raise KeyboardInterrupt

    def _watch(self, frame):
        """Looks again at each line that is reached from here."""
        sys.settrace(self._on_event)
        while frame is not None:
            frame.f_trace = self._on_event
            frame = frame.f_back

    def _stop_watching(self):
        sys.settrace(None)
        self._is_raised = False
        self._reached = None

    def _on_event(self, frame, event, argument):
        if not self.wanted:
            self._stop_watching()
        elif self._is_raised and event == "exception":
            if issubclass(argument[0], KeyboardInterrupt):
                self._reached = frame
        elif self._is_raised and self._reached in (frame, frame.f_back) and event != "return":
            # What the program does about it.
            self._stop_watching()
        elif event == "line" and self._is_safe(frame):
            # It was not safe until now, or was dropped on its way, as what comes up in the end of a file object is.
            self._stop_watching()
            raise KeyboardInterrupt
        return self._on_event

    def _on_unraisable(self, unraisable):
        """Raised while an object was deleted, it was dropped."""
        if self.wanted and unraisable.exc_type is KeyboardInterrupt:
            self._is_raised = False
            self._watch(sys._getframe(1))
        else:
            sys.__unraisablehook__(unraisable)

    def _is_safe(self, frame):
        if first_imports.is_loading():
            # Python cannot load it once more where it was cut off.
            return False
        while frame is not None:
            code, name = frame.f_code, frame.f_globals.get("__name__")
            package = name.partition(".")[0] if type(name) is str else ""
            if package in _MACHINERY:
                return code in self._safe or (package == "selectors" and code.co_name == "select")
            if not _is_standard(code.co_filename):
                return True
            # It works for whoever called it.
            frame = frame.f_back
        return True


def _is_standard(filename):
    return filename.startswith(_STANDARD_LIBRARY) and "-packages" not in filename

"""Interrupts that are raised in the code of a program, and not in the code that runs it, and alarms, which end with it."""

import os
import sys

import _signal as signal

from . import first_imports

# If an interrupt were raised in these packages, a message could be lost, or a task would be entered only partly.
_MACHINERY = ("asyncio", "ptc_runner", "selectors")
# WebAssembly has none.
_TIMERS = [getattr(signal, name) for name in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF") if hasattr(signal, "setitimer")]
_STANDARD_LIBRARY = (os.path.dirname(os.__file__) + os.sep, "<frozen ", "<string>")


def stop_alarms():
    """Stops what `alarm` and `setitimer` have set, which would otherwise hit the next program, or end the interpreter while
    it waits for one. Returns how many there were.
    """
    return sum(signal.setitimer(timer, 0)[0] > 0 for timer in _TIMERS)


class Interrupts:
    """Raises KeyboardInterrupt for SIGINT, in code of a program or while it waits."""

    def __init__(self, safe):
        # Code of these packages in which it may be raised nevertheless: where it waits.
        self._safe = safe
        self._came_early = False
        # Whether the program got an interrupt, so that the following message does not cancel a later one.
        self._came = False
        # Whether it was raised and still propagates, and the frame that it has reached.
        self._is_raised = False
        self._reached = None
        self.wanted = False
        # One object, by which it is recognized.
        self.handler = self._on_signal
        sys.unraisablehook = self._on_unraisable

    def install(self):
        signal.signal(signal.SIGINT, self.handler)

    def begin(self):
        """Allows interrupts for the program that begins now. Raises one that already came for it."""
        self.wanted = True
        self._came = self._came_early
        self._came_early = False
        if self._came:
            raise KeyboardInterrupt

    def forget(self):
        """Drops an interrupt that came too late for its program, so that it does not stop the next one."""
        if self._came:
            self._came = False
        else:
            self._came_early = False

    def end_tracing(self):
        """Ends what a program has set to trace or profile itself and its threads, which would also be called for the runner and
        for later programs.
        """
        if sys.gettrace() != self._on_event:
            sys.settrace(None)
        sys.setprofile(None)
        threading = sys.modules.get("threading")
        try:
            if threading is not None:
                threading.settrace(None)
                threading.setprofile(None)
        except Exception:
            # A program may have put another module in its place.
            pass

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
        """Checks again at each line that is executed from here on."""
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
            # The program handles the interrupt now.
            self._stop_watching()
        elif event == "line" and self._is_safe(frame):
            # Until now it was not safe to raise it, or Python has dropped it, for example when a file object was
            # deleted.
            self._stop_watching()
            raise KeyboardInterrupt
        return self._on_event

    def _on_unraisable(self, unraisable):
        """Python has dropped the interrupt, because it was raised while an object was deleted."""
        if self.wanted and unraisable.exc_type is KeyboardInterrupt:
            self._is_raised = False
            self._watch(sys._getframe(1))
        else:
            sys.__unraisablehook__(unraisable)

    def _is_safe(self, frame):
        if first_imports.is_loading():
            # Python cannot import a module again after its import was interrupted.
            return False
        while frame is not None:
            code, name = frame.f_code, frame.f_globals.get("__name__")
            package = name.partition(".")[0] if type(name) is str else ""
            if package in _MACHINERY:
                return code in self._safe or (package == "selectors" and code.co_name == "select")
            if not _is_standard(code.co_filename):
                return True
            # It works for its caller, which decides.
            frame = frame.f_back
        return True


def _is_standard(filename):
    return filename.startswith(_STANDARD_LIBRARY) and "-packages" not in filename

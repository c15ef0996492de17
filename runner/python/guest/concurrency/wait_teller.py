"""Tells the host that a program waits: nothing in it can go on before a tool call is answered or a timer fires."""

import sys
from _thread import _count as count_threads
from _thread import allocate_lock
from _weakrefset import WeakSet

from ...shared.frames import WAITING, encode

# What the selector of a loop watches without the program: the loop's own pipe, and the pipe with the results.
_OWN_FILES = 2


class WaitTeller:
    """Tells it about one program. `calls` are the open calls of the program."""

    def __init__(self, channel, execution_id, calls):
        self._channel = channel
        self._execution_id = execution_id
        self._calls = calls
        self._results = 0
        # Whether something happened since the host was told last.
        self._is_due = False
        # Several threads may call tools and wait at the same time.
        self._lock = allocate_lock()
        self._loops = WeakSet()
        # Whether a loop that calls cannot be watched, such as one that is not asyncio's own.
        self._is_blind = False

    def send_call(self, frame):
        """Sends a call, and watches the loop that waits for it."""
        self._watch_loop()
        with self._lock:
            self._channel.send(frame)
            self._is_due = True
        self._tell_blindly()

    def on_change(self):
        """The program has given up a call."""
        self._is_due = True

    def on_result(self):
        """The result of a call has arrived."""
        with self._lock:
            self._results += 1
            self._is_due = True
        self._tell_blindly()

    def _tell_blindly(self):
        if self._is_blind:
            self.before_wait(_OWN_FILES + 1)

    def before_wait(self, files=_OWN_FILES):
        """Must be called before a thread waits. `files` is how many files can wake it."""
        if not self._is_due or not self._calls:
            return
        with self._lock:
            if self._is_due:
                self._is_due = False
                # Another thread may go on or wait too: Python does not say which.
                certain = files <= _OWN_FILES and count_threads() == 0
                body = {"execution_id": self._execution_id, "results": self._results, "certain": certain}
                self._channel.send(encode(WAITING, body))

    def stop(self):
        """Ends this, because the next program begins."""
        self._calls = ()
        for loop in self._loops:
            # Removes what hides the method of its class. A loop that is closed has no selector.
            vars(getattr(loop, "_selector", None) or self).pop("select", None)

    def _watch_loop(self):
        asyncio = sys.modules.get("asyncio")
        loop = None if asyncio is None else asyncio._get_running_loop()
        if loop is None or loop in self._loops:
            return
        self._loops.add(loop)
        selector = getattr(loop, "_selector", None)
        if selector is None:
            self._is_blind = True
            return
        select = selector.select

        def watched(timeout=None):
            # With 0, something in the loop can go on.
            if timeout is None or timeout > 0:
                self.before_wait(len(selector.get_map()))
            return select(timeout)

        selector.select = watched

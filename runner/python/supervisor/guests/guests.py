"""All guests of a sandbox: one for each interpreter, started when it is needed, and frozen between programs."""

import os
import time

import _signal as signal

from ...shared import processes
from .. import system
from . import outcomes
from .guest_link import GuestLink

# A guest stops at once, unless it waits in the kernel for a child that it started by `vfork`, or another process
# makes it continue. This is checked at this interval. The first check can come at any moment. From the second check
# on, all other processes are killed, and again after a shorter time: a process that is just sending a signal to the
# guest does so before it ends, and the guest may start others. At the last check, the guest is killed.
_CHECK_EVERY = 0.5
_CHECK_AGAIN_AFTER = 0.01
_LAST_CHECK = 150
# How often to check whether a process that a guest keeps has continued between programs. It is not a child of the
# supervisor, so the kernel does not report that.
_CHECK_KEPT_EVERY = 1.0


class Guests:
    """Starts the guests of `interpreters`, and calls `on_started` for each. `kill` ends all of them, with a reason.
    `child_signals` reports a guest that continues between programs.
    """

    def __init__(self, interpreters, poll, on_started, kill, child_signals):
        self._interpreters = {language: one for one in interpreters for language in one[0]}
        self._poll = poll
        self._on_started = on_started
        self._kill = kill
        self._child_signals = child_signals
        # When to check next whether processes that guests keep have continued; None while a program runs.
        self.check_at = None
        self._is_freezing = False
        self._checks = 0
        # Processes that the current or last program left and that had to be killed.
        self._killed = set()
        # The timer stays set from program to program, because setting it takes time.
        self._is_timed = False
        signal.signal(signal.SIGALRM, lambda *_: self._check_frozen())
        # Languages of one interpreter share its link.
        self._by_language = {}
        self._links = []
        # Processes of the supervisor that are not guests, and stay when a program ends.
        self._helpers = []
        self._children = processes.ChildrenList(os.getpid())
        # The children that are known, in the order of their start, as the kernel lists them.
        self._known = []

    def link(self, language):
        """Returns the link to a language's guest, and starts the guest if necessary. None if there is no such
        interpreter.
        """
        if language not in self._by_language:
            languages, program, command = self._interpreters[language]
            if command is not None and not system.has_program(program):
                return None
            guest = GuestLink(command, self._poll, "bash" in languages)
            self._by_language.update(dict.fromkeys(languages, guest))
            self._links.append(guest)
            self._known.append(guest.pid)
            self._on_started(guest)
        return self._by_language[language]

    @property
    def pids(self):
        """The process ids of the guests, in the order in which they were started."""
        return [guest.pid for guest in self._links]

    @property
    def helpers(self):
        """The process ids of the other processes that are kept."""
        return self._helpers

    def keep(self, pid):
        """Keeps a child that is not a guest when a program ends."""
        self._helpers.append(pid)
        self._known.append(pid)

    def give_up(self, pid):
        """Treats a child that is not a guest like the processes that a program leaves."""
        self._helpers.remove(pid)
        self._known.remove(pid)

    def stop_all(self, was_stopped, on_wait):
        """Freezes all guests until the next program, and ends the processes that a program left, as
        `leftovers.end_leftovers` does. Returns how many processes were killed; None if a guest has ended. After the
        outcome was sent, the caller must call `watch`.
        """
        self._killed = set()
        rests = self._freeze() and self._end_leftovers(was_stopped, on_wait)
        for pid in self._helpers:
            # All processes may have been stopped, or the program has stopped it.
            processes.send(pid, signal.SIGCONT)
        return len(self._killed) if rests else None

    def _freeze(self):
        """Stops all guests until their next programs. Returns False if one has ended instead."""
        self._is_freezing = True
        self._checks = 0
        if not self._is_timed:
            self._is_timed = True
            signal.setitimer(signal.ITIMER_REAL, _CHECK_EVERY, _CHECK_EVERY)
        are_frozen = all([guest.freeze() for guest in self._links])
        self._is_freezing = False
        if self._checks > 1:
            self._stop_timer()
        return are_frozen

    def _stop_timer(self):
        self._is_timed = False
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _check_frozen(self):
        if not self._is_freezing:
            self._stop_timer()
            return
        self._checks += 1
        if self._checks == _LAST_CHECK:
            self._kill(outcomes.CANNOT_STOP)
        elif self._checks > 1:
            # Kills any process that makes the guest continue, or that the guest waits for in the kernel.
            self._killed |= processes.kill_except(self._own_processes())
            # Not as an interval: on a busy machine, the next check would begin before this one ends.
            signal.setitimer(signal.ITIMER_REAL, _CHECK_AGAIN_AFTER)

    def watch(self):
        """Ends all guests if one continues before `unwatch`, because only the next program may do that. False if one
        has.
        """
        self._child_signals.report_stops(True)
        self._set_check_time()
        # It may have continued before this was reported.
        return self.check()

    def unwatch(self):
        """Must be called before a guest continues with the next program."""
        self._child_signals.report_stops(False)
        self.check_at = None

    def check(self):
        """Ends all guests if one has continued. Returns whether none has."""
        return self._end_if(any([guest.has_continued() for guest in self._links]))

    def keep_time(self, now):
        """Ends all guests if a process that a guest keeps has continued."""
        if self.check_at is not None and now >= self.check_at:
            self._set_check_time()
            self._end_if(any(guest.has_kept_continued() for guest in self._links))

    def _set_check_time(self):
        keeps = any(len(guest.pids) > 1 for guest in self._links)
        self.check_at = time.monotonic() + _CHECK_KEPT_EVERY if keeps else None

    def _end_if(self, has_continued):
        if has_continued:
            self._kill(outcomes.CONTINUED)
        return not has_continued

    def _end_leftovers(self, was_stopped, on_wait):
        """Returns False if a guest has ended. Mostly no process is left, which is quickly found out."""
        # The children of guests are checked first: if their parent ends, they become children of this process, which
        # are checked afterwards.
        known = b"".join([b"%d " % pid for pid in self._known])
        if all([guest.has_no_children() for guest in self._links]) and self._children.read() == known:
            return True
        from .leftovers import end_leftovers

        return end_leftovers(self._own_processes(), self._killed, self._freeze, was_stopped, on_wait)

    def _own_processes(self):
        return {pid for guest in self._links for pid in guest.pids}.union(self._helpers)

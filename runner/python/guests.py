"""The guests of a sandbox, all together: one for each interpreter, started when it is needed, frozen between runs."""

import os
import time

import _signal as signal

from . import outcomes, process, processes
from .guest_link import GuestLink

# A guest stops at once, unless it waits in the kernel for a child that it started by `vfork`, or others let it go on. So
# often it is looked at. The first look may come at any moment. From the second on, what may be in its way is killed, and
# soon again: a process in the midst of a signal to the guest sends it before it ends, and the guest may start others. At
# the last look the guest is ended.
_LOOK_EVERY = 0.5
_LOOK_AGAIN_AFTER = 0.01
_LAST_LOOK = 150
# So often it is looked whether what a guest keeps has gone on between runs: of those that are no children of the
# supervisor's the kernel tells it nothing.
_LOOK_AT_KEPT_EVERY = 1.0


def read_interpreters(arguments):
    """
    The languages that each interpreter serves, the program that it needs and its command, None for Python itself.
    On the command line the length of the command stands before it: `python '' 0 bash bash 2 python3 -I`.
    """
    arguments = iter(arguments)
    interpreters = []
    for languages in arguments:
        program = next(arguments)
        command = [next(arguments) for _ in range(int(next(arguments)))]
        interpreters.append((languages.split(","), program, command or None))
    return interpreters


class Guests:
    """
    Has the roads to the guests of `interpreters`, and says to `on_started` which one is new. `kill` ends all, and tells
    why. By `child_signals` it hears of a guest that goes on between runs.
    """

    def __init__(self, interpreters, poll, on_started, kill, child_signals):
        self._interpreters = {language: one for one in interpreters for language in one[0]}
        self._poll = poll
        self._on_started = on_started
        self._kill = kill
        self._child_signals = child_signals
        # When it is looked next whether what guests keep has gone on; None while a program runs.
        self.look_at = None
        self._is_freezing = False
        self._looks = 0
        # What the program under way, or the last one, left behind that had to be killed.
        self._killed = set()
        # The timer goes on from run to run, for it takes time to set it.
        self._is_timed = False
        signal.signal(signal.SIGALRM, lambda *_: self._look())
        # Where languages share an interpreter, they share the link.
        self._by_language = {}
        self._links = []
        self._children = processes.ChildrenList(os.getpid())
        # What it tells if it tells of nobody but the guests.
        self._known = b""

    def link(self, language):
        """The road to a language's guest, which is started if it was not yet. None if there is no such interpreter."""
        if language not in self._by_language:
            languages, program, command = self._interpreters[language]
            if command is not None and not process.has_program(program):
                return None
            guest = GuestLink(command, self._poll, "bash" in languages)
            self._by_language.update(dict.fromkeys(languages, guest))
            self._links.append(guest)
            self._known += b"%d " % guest.pid
            self._on_started(guest)
        return self._by_language[language]

    @property
    def pids(self):
        """The processes of the guests, in the order in which they were started."""
        return [guest.pid for guest in self._links]

    def come_to_rest(self, was_stopped, look_on):
        """
        Freezes all until the next run, and ends what a program left behind, as `leftovers.end_leftovers` does. Gives how
        many processes were killed; None if a guest has ended. Once the run has ended, the caller calls `watch`.
        """
        self._killed = set()
        rests = self._freeze() and self._end_leftovers(was_stopped, look_on)
        return len(self._killed) if rests else None

    def _freeze(self):
        """Stops them all until each has its next program. False if one has ended instead."""
        self._is_freezing = True
        self._looks = 0
        if not self._is_timed:
            self._is_timed = True
            signal.setitimer(signal.ITIMER_REAL, _LOOK_EVERY, _LOOK_EVERY)
        are_frozen = all([guest.freeze() for guest in self._links])
        self._is_freezing = False
        if self._looks > 1:
            self._stop_timer()
        return are_frozen

    def _stop_timer(self):
        self._is_timed = False
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _look(self):
        if not self._is_freezing:
            self._stop_timer()
            return
        self._looks += 1
        if self._looks == _LAST_LOOK:
            self._kill(outcomes.CANNOT_STOP)
        elif self._looks > 1:
            # Whoever has it go on, or is awaited by it in the kernel, would be ended next.
            self._killed |= processes.kill_beside(self._own_processes())
            # No interval: on a busy machine the next look would come before the end of this one.
            signal.setitimer(signal.ITIMER_REAL, _LOOK_AGAIN_AFTER)

    def watch(self):
        """Ends all if one goes on until `unwatch`, for nothing but the next run may have it do so. False if one has."""
        self._child_signals.tell_stops(True)
        self._renew_look()
        # Which may have been before this was told.
        return self.check()

    def unwatch(self):
        """To be called before guests go on with the next run."""
        self._child_signals.tell_stops(False)
        self.look_at = None

    def check(self):
        """Ends all if a guest has gone on, and gives whether none has."""
        return self._end_if(any([guest.has_gone_on() for guest in self._links]))

    def keep_time(self, now):
        """Ends all if something that a guest keeps has gone on."""
        if self.look_at is not None and now >= self.look_at:
            self._renew_look()
            self._end_if(any(guest.has_kept_gone_on() for guest in self._links))

    def _renew_look(self):
        keeps = any(len(guest.pids) > 1 for guest in self._links)
        self.look_at = time.monotonic() + _LOOK_AT_KEPT_EVERY if keeps else None

    def _end_if(self, has_gone_on):
        if has_gone_on:
            self._kill(outcomes.WENT_ON)
        return not has_gone_on

    def _end_leftovers(self, was_stopped, look_on):
        """False if a guest has ended. Mostly nothing is left behind, which is soon found out."""
        # The guests' children first: one whose parent ends meanwhile becomes a child of this process, and is found there.
        if all([guest.has_no_children() for guest in self._links]) and self._children.read() == self._known:
            return True
        from .leftovers import end_leftovers

        return end_leftovers(self._own_processes(), self._killed, self._freeze, was_stopped, look_on)

    def _own_processes(self):
        return {pid for guest in self._links for pid in guest.pids}

"""Ends the processes that a program left."""

import time

import _signal as signal

from ...shared import processes

# The last output of a program may still pass through one of its processes, such as `tee`.
_GRACE = 0.1
# For how many seconds none of the killed processes may end. On a busy machine, hundreds of them take longer together.
_DEATH = 5.0
# A turn that takes longer than so many seconds counts as this many: the host did not read output meanwhile, or the
# machine stalled, so the killed processes had little time too.
_LONGEST_TURN = 1.0
_CHECK_EVERY = 0.002


def end_leftovers(kept, killed, freeze, was_stopped, on_wait):
    """Ends all processes except `kept`, which `freeze` stops; `freeze` returns whether they live. After a program
    that was stopped, processes get no time to end by themselves. `on_wait` is called repeatedly meanwhile. Adds the
    killed processes to `killed`. Returns False if one of `kept` has ended. Raises `TimeoutError` if processes do not
    end.
    """
    grace_end = time.monotonic() + (0 if was_stopped else _GRACE)
    # For how many seconds none has ended although they were killed.
    fewest, unended = float("inf"), 0.0
    while True:
        # All must be stopped, because a process that starts another one and ends at once can be missed. And as long
        # as one runs, it could make a guest continue, which could start others.
        processes.send_all(signal.SIGSTOP)
        # A process that ends makes a guest continue if it leaves that guest's process group orphaned. So none may end
        # after `freeze` has looked at the guests.
        had_ended = not processes.living_except(kept)
        if not freeze():
            return False
        left = processes.living_except(kept)
        if had_ended and not left:
            return True
        if time.monotonic() <= grace_end:
            for pid in left:
                processes.send(pid, signal.SIGCONT)
        while left:
            now = time.monotonic()
            if len(left) < fewest:
                fewest, unended = len(left), 0.0
            if unended > _DEATH:
                raise TimeoutError
            are_killed = now >= grace_end
            if are_killed:
                killed |= processes.kill_except(kept)
            on_wait()
            time.sleep(_CHECK_EVERY)
            left = processes.living_except(kept)
            if are_killed:
                unended += min(time.monotonic() - now, _LONGEST_TURN)

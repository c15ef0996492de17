"""Ends the processes that a program left."""

import time

import _signal as signal

from ...shared import processes

# The last output of a program may still pass through one of its processes, such as `tee`.
_GRACE = 0.1
# For how many seconds none of the killed processes may end. On a busy machine, hundreds of them take longer together.
_DEATH = 5.0
_CHECK_EVERY = 0.002


def end_leftovers(kept, killed, freeze, was_stopped, on_wait):
    """Ends all processes except `kept`, which `freeze` stops; `freeze` returns whether they live. After a program
    that was stopped, processes get no time to end by themselves. `on_wait` is called repeatedly meanwhile. Adds the
    killed processes to `killed`. Returns False if one of `kept` has ended. Raises `TimeoutError` if processes do not
    end.
    """
    grace_end = time.monotonic() + (0 if was_stopped else _GRACE)
    fewest, last_end = float("inf"), grace_end
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
                fewest, last_end = len(left), max(now, grace_end)
            if now > last_end + _DEATH:
                raise TimeoutError
            if now > grace_end:
                killed |= processes.kill_except(kept)
            on_wait()
            time.sleep(_CHECK_EVERY)
            left = processes.living_except(kept)

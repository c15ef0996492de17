"""The end of what a program left behind: its processes end with its run."""

import time

import _signal as signal

from . import processes

# A program's last words may still be on their way through a process of its own, such as `tee`.
_GRACE = 0.1
# Then they are killed, which takes no time at all unless they are many and make others meanwhile.
_DEATH = 5.0
_LOOK_EVERY = 0.002


def end_leftovers(kept, killed, freeze, was_stopped, look_on):
    """
    Ends all processes but `kept`, which `freeze` stops; it says whether they live. Processes of a program that was
    stopped get no time to end by themselves. `look_on` is called again and again until then. Adds those that were killed
    to `killed`. False if one of `kept` has ended. Raises `TimeoutError` if some do not end.
    """
    grace_end = time.monotonic() + (0 if was_stopped else _GRACE)
    while True:
        # One that ends as soon as it has started another can be missed, unless all stand still. And as long as one was
        # there, it could let a guest go on, which could start others.
        processes.send_all(signal.SIGSTOP)
        if not freeze():
            return False
        left = processes.living_beside(kept)
        if not left:
            return True
        if time.monotonic() <= grace_end:
            for pid in left:
                processes.send(pid, signal.SIGCONT)
        while left:
            now = time.monotonic()
            if now > grace_end + _DEATH:
                raise TimeoutError
            if now > grace_end:
                killed |= processes.kill_beside(kept)
            look_on()
            time.sleep(_LOOK_EVERY)
            left = processes.living_beside(kept)

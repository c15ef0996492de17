"""What a program left in the session's event loop, which later programs use too. In plain Python it ends with the loop."""

import asyncio

# The modules of callbacks by which tasks continue. The tasks themselves are counted.
_OF_TASKS = ("_asyncio", "asyncio.futures", "asyncio.tasks")


def count(loop):
    """Returns the number of callbacks that wait for their time or for their turn."""
    return sum(not handle._cancelled and _module(handle) not in _OF_TASKS for handle in _handles(loop))


def drop(loop):
    """Removes all callbacks that wait for their time or for their turn."""
    for handle in _handles(loop):
        handle.cancel()
    loop._ready.clear()
    loop._scheduled.clear()
    # How many of the removed ones were cancelled.
    loop._timer_cancelled_count = 0


def remove_readers(loop, own):
    """Removes the callbacks of `add_reader` and `add_writer`, except for the descriptors `own`, and returns their number.
    Connections and servers stay: a later program may use them.
    """
    removed = 0
    for key in list(loop._selector.get_map().values()):
        if key.fd not in own:
            for handle, remove in zip(key.data, (loop.remove_reader, loop.remove_writer)):
                if handle is not None and not _module(handle).startswith("asyncio."):
                    remove(key.fd)
                    removed += 1
    return removed


def abandon(task):
    """Ends a task that does not end by itself, so that it does not continue in a later program."""
    try:
        task.get_coro().close()
    except BaseException:
        # It ignores that too.
        pass
    waits_for = task._fut_waiter
    if waits_for is not None:
        # Its result would continue the task.
        waits_for.cancel()
    # The method of the task itself would only ask it to end.
    asyncio.Future.cancel(task)


def _handles(loop):
    return [*loop._ready, *loop._scheduled]


def _module(handle):
    """Returns the name of the module of a callback."""
    try:
        name = handle._callback.__module__
        return name if type(name) is str else ""
    except Exception:
        # A program can pass any object that can be called.
        return ""

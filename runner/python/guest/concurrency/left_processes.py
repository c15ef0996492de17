"""Processes that earlier programs left. They have ended, but each counts against the limit of processes until this
process has taken its exit status.
"""

import gc
import os
import sys

from ...shared.processes import children


def reap():
    """Takes the exit status of each child that has ended. An object that stands for such a child keeps the status."""
    waited_for = _poll_objects()
    for pid in children(os.getpid()):
        if pid not in waited_for:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                # A thread of the program was faster.
                pass


def _poll_objects():
    """Has the objects that stand for children take the exit status. Returns the children for which others wait: a
    thread, or a loop of asyncio, which would report a status of its own if it did not find one.
    """
    objects = gc.get_objects()
    waited_for = {
        _outcome(transport.get_pid) for transport in _instances(objects, "asyncio.base_subprocess", "BaseSubprocessTransport")
    }
    for process in _instances(objects, "subprocess", "Popen"):
        # One that did not start has no id.
        pid = getattr(process, "pid", None)
        if pid not in waited_for and _outcome(process.poll) is None:
            waited_for.add(pid)
    multiprocessing = sys.modules.get("multiprocessing.process")
    if multiprocessing is not None:
        _outcome(multiprocessing.active_children)
    return waited_for


def _instances(objects, module, name):
    kind = getattr(sys.modules.get(module), name, None)
    return [found for found in objects if issubclass(type(found), kind)] if isinstance(kind, type) else []


def _outcome(method):
    """What a method returns; None if it fails. A program may have changed it."""
    try:
        return method()
    except Exception:
        return None

"""`multiprocessing` in a guest, which has no sockets with names and ends all processes after each run."""

import os
import sys

from .first_imports import on_first_import


def adapt_multiprocessing(program_file):
    """To be called when a program has imported `multiprocessing.context`. `program_file` is its `__file__`."""
    contexts = sys.modules["multiprocessing.context"]
    # From Python 3.14 on the default is a server at a socket, which knows no function that a program defines.
    contexts._default_context._default_context = contexts._concrete_contexts["fork"]
    on_first_import("multiprocessing.resource_tracker", _track_nothing)
    on_first_import("multiprocessing.spawn", lambda: _keep_out(program_file))


def _keep_out(program_file):
    """Has new interpreters not run this file first, since there is none."""
    spawn = sys.modules["multiprocessing.spawn"]
    prepare = spawn.get_preparation_data

    def get_preparation_data(name):
        data = prepare(name)
        if data.get("init_main_from_path") == program_file:
            del data["init_main_from_path"]
        return data

    spawn.get_preparation_data = get_preparation_data


def _track_nothing():
    """
    Does without the process that removes the shared memory which programs leave: the end of the sandbox removes it. The
    process would be ended after the run, and the next run would be told that it is missing.
    """
    # The tracker is taken for running if this can be written to.
    sys.modules["multiprocessing.resource_tracker"]._resource_tracker._fd = os.open(os.devnull, os.O_WRONLY)

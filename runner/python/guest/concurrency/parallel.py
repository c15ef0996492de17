"""Adapts `multiprocessing`: a sandbox has no named sockets, and all processes end with their program."""

import os
import sys

from ..first_imports import on_first_import


def adapt_multiprocessing(program_file):
    """Must be called after a program has imported `multiprocessing.context`. `program_file` is its `__file__`."""
    contexts = sys.modules["multiprocessing.context"]
    # From Python 3.14 on, the default is a server with a socket, which does not know the functions of the program.
    contexts._default_context._default_context = contexts._concrete_contexts["fork"]
    on_first_import("multiprocessing.resource_tracker", _track_nothing)
    on_first_import("multiprocessing.spawn", lambda: _skip_program_file(program_file))


def _skip_program_file(program_file):
    """Prevents new interpreters from running this file first, because it does not exist."""
    spawn = sys.modules["multiprocessing.spawn"]
    prepare = spawn.get_preparation_data

    def get_preparation_data(name):
        data = prepare(name)
        if data.get("init_main_from_path") == program_file:
            del data["init_main_from_path"]
        return data

    spawn.get_preparation_data = get_preparation_data


def _track_nothing():
    """Disables the process that removes the shared memory that programs leave. The end of the sandbox removes it. The
    process would be ended with its program, and the next program would get a warning that it is missing.
    """
    # `multiprocessing` takes the tracker for running if this can be written to.
    sys.modules["multiprocessing.resource_tracker"]._resource_tracker._fd = os.open(os.devnull, os.O_WRONLY)

"""How a program waits: for a tool without an event loop, and for everything else in asyncio's loop.

Loading asyncio takes longer than everything else that an interpreter needs to start, and one turn of its loop takes
longer than the rest of a tool call. A program that calls tools one after another needs no loop: it is enough to read
the next line. A program that uses asyncio is a task in a running loop, as it expects. It moves into that loop when it
waits for something other than a tool, or when something beside it could continue meanwhile.
"""

import os
import sys
from _contextvars import copy_context
from _thread import get_ident

from ..first_imports import on_first_import


class Reply:
    """The awaitable of a tool call that the program itself makes outside the loop."""

    def __init__(self):
        self.body = None
        # Wakes the program if it has moved into the loop meanwhile.
        self.future = None

    def __await__(self):
        while self.body is None:
            yield self
        return self.body


class Waiting:
    """Runs programs, and creates the awaitables of tool calls."""

    def __init__(self, channel):
        self._channel = channel
        self._context = copy_context()
        self._main_thread = get_ident()
        # The session's event loop, once asyncio has been loaded.
        self._loop = None
        # The program that runs outside the loop, and its task in the loop.
        self._program = None
        self._task = None
        # Hears before the program waits outside the loop; None if the host does not want to know.
        self.teller = None
        # Nothing needs `ssl` without a network, and it takes a fifth of asyncio's time and memory.
        on_first_import("asyncio", self._on_asyncio, without="ssl")

    def begin(self, code):
        """Prepares a program: makes the session's loop the one that `asyncio.get_event_loop()` returns."""
        if self._loop is None and "asyncio" in code:
            self._load_asyncio()
        if self._loop is not None:
            self._loop.begin()

    def call(self, function, *args):
        """Runs a program without a top-level `await`."""
        return self._context.run(function, *args)

    def run(self, coroutine):
        """Runs a program with a top-level `await`. An interrupt cancels it where it waits."""
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(None, self._close_generator)
        self._program = Program(coroutine, self._context)
        try:
            return self._run(self._program)
        finally:
            self._program = None
            sys.set_asyncgen_hooks(*hooks)

    def end(self):
        """Ends the tasks and the callbacks of the loop that a program left, and returns the number of each."""
        return (0, 0) if self._loop is None else self._loop.end()

    # Tool calls

    def new_reply(self):
        """Returns what a tool call waits for, depending on where it is made."""
        is_programs = self._program is not None and get_ident() == self._main_thread
        if self._loop is None:
            if not is_programs:
                raise RuntimeError("no running event loop")
            return Reply()
        if is_programs and self._task is None and not self._program.is_in_loop:
            # Another thread has just loaded asyncio.
            self._enter()
        loop, task = self._loop.current()
        if self._task is not None and task is self._task:
            return Reply()
        self._channel.attach(loop)
        return loop.create_future()

    def settle(self, reply, body):
        """Delivers the reply of a tool call, from the thread that read it."""
        if type(reply) is not Reply:
            return self._loop.settle(reply, body)
        reply.body = body
        if reply.future is not None:
            self._loop.settle(reply.future, body)
        elif get_ident() != self._main_thread:
            self._channel.wake()

    # The program

    def _run(self, program):
        value = error = None
        try:
            if self._loop is not None:
                self._enter()
            value = self._continue(program)
        except KeyboardInterrupt as interrupt:
            error = interrupt.with_traceback(self._cancel(program) or interrupt.__traceback__)
        except BaseException as own:
            error = own
        # Tasks that it left may go on while its own task ends, and call tools in the loop.
        program.is_in_loop = True
        try:
            if self._task is not None:
                error = self._loop.finish(self._leave(), value, error)
            if error is not None:
                raise error
            return value
        finally:
            # Its traceback refers to this frame.
            del error

    def _continue(self, program, error=None):
        """Runs a program to its end, which may be in the loop. `error` is raised where it waits."""
        while True:
            try:
                if error is None:
                    waits_for = program.send(None)
                else:
                    waits_for = program.throw(error)
                    error = None
            except StopIteration as end:
                return end.value
            if type(waits_for) is not Reply or not self._receive(waits_for):
                return self._move_to_loop(program, waits_for)
            if self._loop is not None and self._task is None:
                # Another thread has loaded asyncio meanwhile.
                self._enter()

    def _receive(self, reply):
        """Waits for a reply. Returns False if something else could continue before it arrives."""
        is_called = False
        while True:
            # Includes lines that arrived together with another one. In the loop, nothing would read them.
            for line in self._channel.received():
                self._channel.on_line(line)
            if reply.body is not None:
                return True
            if self._task is not None and (is_called or not self._loop.is_idle(self._task)):
                return False
            if self.teller is not None:
                self.teller.before_wait()
            line = self._channel.receive()
            if line is None:
                # The supervisor is gone.
                os._exit(1)
            if line:
                self._channel.on_line(line)
            # Another thread or a signal handler calls the loop.
            is_called = line == b""

    def _cancel(self, program):
        """Cancels a program that was interrupted while it waited, and returns the traceback of where it waited."""
        if program.is_in_loop or program.coroutine.cr_frame is None:
            return None
        try:
            self._load_asyncio()
            self._continue(program, sys.modules["asyncio"].CancelledError())
        except BaseException as error:
            return error.__traceback__
        return None

    # asyncio

    def _load_asyncio(self):
        import asyncio  # noqa: F401 - calls `_on_asyncio`

        if self._loop is None:
            # The program has removed the finder that calls `_on_asyncio`.
            self._on_asyncio()

    def _on_asyncio(self):
        from .event_loop import SessionLoop

        self._loop = SessionLoop(self._channel)
        if get_ident() == self._main_thread:
            self._loop.begin()
            if self._program is not None:
                self._enter()

    def _enter(self):
        self._task = self._loop.enter(self._program)

    def _leave(self):
        task, self._task = self._task, None
        self._loop.leave(task)
        return task

    def _move_to_loop(self, program, waits_for):
        """Continues a program in the loop."""
        # If the program waits for something without having loaded asyncio, asyncio raises the error for it.
        if self._loop is None:
            self._load_asyncio()
        if self._task is None:
            self._enter()
        program.is_in_loop = True
        if type(waits_for) is Reply:
            waits_for = self._loop.future_of(waits_for)
        program.interject(waits_for)
        return self._loop.run(self._leave())

    def _close_generator(self, generator):
        """Finishes an asynchronous generator that the program dropped, as an event loop does."""
        self._load_asyncio()
        self._loop.close_generator(generator)


class Program:
    """The coroutine of a program. Its task may begin when it already waits, and does not have its own context."""

    def __init__(self, coroutine, context):
        self.coroutine = coroutine
        self._context = context
        self.is_in_loop = False
        self._interjected = []

    def interject(self, waits_for):
        """Makes the task wait for this before it continues."""
        self._interjected.append(waits_for)

    def send(self, value):
        if self._interjected:
            return self._interjected.pop()
        return self._context.run(self.coroutine.send, value)

    def throw(self, *error):
        self._interjected.clear()
        return self._context.run(self.coroutine.throw, *error)

    def close(self):
        self.coroutine.close()

    def __await__(self):
        return self.coroutine.__await__()

    def __getattr__(self, name):
        return getattr(self.coroutine, name)

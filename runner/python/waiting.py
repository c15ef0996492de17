"""How a program waits: for a tool without an event loop, for anything else in asyncio's.

Loading asyncio takes longer than all else that an interpreter needs to start, and a turn through its
loop longer than all else that a tool call needs. A program that calls tools one after another gets
along without: it is enough to read the next line. One that uses asyncio finds itself a task in a loop
that runs, as it expects. It goes over into that loop when it waits for something else than a tool, or
when something beside it could go on meanwhile.
"""

import os
import sys
from _contextvars import copy_context
from _thread import get_ident

from .first_imports import on_first_import


class Reply:
    """What a tool call of the program itself waits for, outside the loop."""

    def __init__(self):
        self.body = None
        # What wakes the program if it went over into the loop meanwhile.
        self.future = None

    def __await__(self):
        while self.body is None:
            yield self
        return self.body


class Waiting:
    """Runs programs, and says what a tool call is to wait for."""

    def __init__(self, channel):
        self._channel = channel
        self._context = copy_context()
        self._main_thread = get_ident()
        # The session's event loop, once asyncio has been loaded.
        self._loop = None
        # The program that is run outside the loop, and what it is in the loop.
        self._program = None
        self._task = None
        # Without a network nothing needs `ssl`, which takes a fifth of the time and memory of asyncio.
        on_first_import("asyncio", self._on_asyncio, without="ssl")

    def begin(self, code):
        """Before a program: the loop that `asyncio.get_event_loop()` gives is the session's."""
        if self._loop is None and "asyncio" in code:
            self._load_asyncio()
        if self._loop is not None:
            self._loop.begin()

    def call(self, function, *args):
        """Runs a program that waits for nothing."""
        return self._context.run(function, *args)

    def run(self, coroutine):
        """Runs a program that waits. An interrupt cancels it where it does."""
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(None, self._close_generator)
        self._program = Program(coroutine, self._context)
        try:
            return self._run(self._program)
        finally:
            self._program = None
            sys.set_asyncgen_hooks(*hooks)

    def end(self):
        """Cancels what a program left running and tells how much it was."""
        return 0 if self._loop is None else self._loop.end()

    # Tool calls

    def new_reply(self):
        """What a tool call can wait for where it is made."""
        is_programs = self._program is not None and get_ident() == self._main_thread
        if self._loop is None:
            if not is_programs:
                raise RuntimeError("no running event loop")
            return Reply()
        if is_programs and self._task is None and not self._program.is_in_loop:
            # A thread has just loaded asyncio.
            self._enter()
        loop, task = self._loop.current()
        if self._task is not None and task is self._task:
            return Reply()
        self._channel.attach(loop)
        return loop.create_future()

    def settle(self, reply, body):
        """Gives a tool call its reply, in whichever thread reads what the host sends."""
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
            value = self._go_on(program)
        except KeyboardInterrupt as interrupt:
            error = interrupt.with_traceback(self._cancel(program) or interrupt.__traceback__)
        except BaseException as own:
            error = own
        try:
            if self._task is not None:
                error = self._loop.finish(self._leave(), value, error)
            if error is not None:
                raise error
            return value
        finally:
            # Its traceback refers to this frame.
            del error

    def _go_on(self, program, error=None):
        """Goes on with a program to its end, which may be in the loop. `error` comes up where it waits."""
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
                return self._go_over(program, waits_for)
            if self._loop is not None and self._task is None:
                # A thread has loaded asyncio meanwhile.
                self._enter()

    def _receive(self, reply):
        """Waits for a reply; False where something else could go on before it comes."""
        is_called = False
        while True:
            # Also what came with another line: once the program is in the loop, nobody would look at it.
            for line in self._channel.received():
                self._channel.on_line(line)
            if reply.body is not None:
                return True
            if self._task is not None and (is_called or not self._loop.is_idle(self._task)):
                return False
            line = self._channel.receive()
            if line is None:
                # Nobody is left to run it for.
                os._exit(1)
            if line:
                self._channel.on_line(line)
            # Somebody calls the loop.
            is_called = line == b""

    def _cancel(self, program):
        """Cancels a program that an interrupt met while it waited, and gives where it did."""
        if program.is_in_loop or program.coroutine.cr_frame is None:
            return None
        try:
            self._load_asyncio()
            self._go_on(program, sys.modules["asyncio"].CancelledError())
        except BaseException as error:
            return error.__traceback__
        return None

    # asyncio

    def _load_asyncio(self):
        import asyncio  # noqa: F401 - calls `_on_asyncio`

        if self._loop is None:
            # The program has taken away who would have told.
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

    def _go_over(self, program, waits_for):
        """Goes on with a program in the loop."""
        # Of what it waits for without having loaded asyncio, asyncio says that it is nothing to wait for.
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
    """A program's coroutine. Its task may come to it when it waits already, and has no context of its own."""

    def __init__(self, coroutine, context):
        self.coroutine = coroutine
        self._context = context
        self.is_in_loop = False
        self._interjected = []

    def interject(self, waits_for):
        """Has the task wait for this before it goes on."""
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

"""One asyncio event loop for a session. `asyncio.run` works inside it as it does outside."""

import asyncio
import sys
from _thread import get_ident

from . import left_callbacks
from ..shown_code import show_as

# How many seconds tasks that a program left have to end, in all: a program that is stopped has one second, or its
# session ends.
_TIMEOUT = 0.4
# More than tasks and callbacks leave the loop or stop it while the tasks end.
_MOST_STOPS = 1000


class SessionLoop:
    """The loop that runs programs with a top-level `await`, and that `asyncio.get_event_loop()` returns."""

    def __init__(self, channel):
        self._channel = channel
        self._plain_run = asyncio.run
        asyncio.run = self._run_inside
        asyncio.runners.run = self._run_inside
        asyncio.BaseEventLoop.default_exception_handler = _unless_cancelled(asyncio.BaseEventLoop.default_exception_handler)
        self._open()

    def _open(self):
        self._loop = asyncio.new_event_loop()
        self._channel.attach(self._loop)
        # The descriptors that the loop itself and the channel read.
        self._own_readers = frozenset(self._loop._selector.get_map())

    def begin(self):
        """Sets the loop for the next program, because the last one may have closed or replaced it."""
        if self._loop.is_closed():
            self._open()
        asyncio.set_event_loop(self._loop)

    def run(self, task):
        """Runs the task of a program. An interrupt, or an exit in another task, cancels the task where it waits."""
        self._first_step = None
        try:
            return self._loop.run_until_complete(task)
        except KeyboardInterrupt as error:
            raise error.with_traceback(self._stop(task) or error.__traceback__)
        except SystemExit:
            self._stop(task)
            raise

    def end(self):
        """Ends the tasks and the callbacks that the program left, and returns the number of each."""
        if self._loop.is_closed():
            return 0, 0
        tasks = asyncio.all_tasks(self._loop)
        if not tasks and self._loop._ready:
            # As with `asyncio.run`, callbacks that are due run once. With tasks, they run as these end.
            self._run_through(asyncio.sleep(0))
            tasks = asyncio.all_tasks(self._loop)
        timeout = _TIMEOUT
        closing = {task for task in tasks if _closes_generator(task)}
        if closing:
            # A task of Python itself, which closes a generator that the program dropped. It mostly ends by itself.
            timeout /= 2
            self._run_through(asyncio.wait(closing, timeout=timeout))
            tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        if tasks:
            self._run_through(asyncio.wait(tasks, timeout=timeout))
            for task in tasks:
                if task.done() and not task.cancelled():
                    task.exception()
        callbacks = left_callbacks.count(self._loop) + left_callbacks.remove_readers(self._loop, self._own_readers)
        for task in asyncio.all_tasks(self._loop):
            # It ignores its cancellation, or another one has created it at its end.
            left_callbacks.abandon(task)
        left_callbacks.drop(self._loop)
        return len(tasks), callbacks

    # Programs that run outside the loop

    def enter(self, program):
        """Makes a task of the program, and makes the loop look as if it ran, until `leave`."""
        task = asyncio.Task(program, loop=self._loop)
        # It refers to the task, and so to what the program leaves.
        self._first_step = self._loop._ready[-1]
        self._channel.listen_to(self._loop)
        self._loop._thread_id = get_ident()
        asyncio._set_running_loop(self._loop)
        asyncio.tasks._enter_task(self._loop, task)
        return task

    def leave(self, task):
        asyncio.tasks._leave_task(self._loop, task)
        asyncio._set_running_loop(None)
        self._loop._thread_id = None
        self._channel.stop_listening_to(self._loop)

    def is_idle(self, task):
        """Whether nothing in the loop can continue or affect the program, whose task has not begun."""
        loop = self._loop
        return (
            len(loop._ready) == 1
            and not task._must_cancel
            and not loop._scheduled
            and len(loop._selector.get_map()) == len(self._own_readers)
        )

    def finish(self, task, value, error):
        """Ends the task of a program that ended outside the loop with this result. Returns its error, if it has one
        now.
        """
        self._loop._ready.remove(self._first_step)
        self._first_step = None
        if error is None and task._must_cancel:
            error = asyncio.CancelledError()
        # A task does not let others set its result, but the methods of its base class do.
        if error is None:
            asyncio.Future.set_result(task, value)
        elif isinstance(error, asyncio.CancelledError):
            asyncio.Future.cancel(task)
        else:
            asyncio.Future.set_exception(task, error)
            # Marks the exception as retrieved, so that asyncio does not report it.
            task.exception()
        if self._loop._ready:
            # As if the program had ended in the loop: callbacks that are due run once.
            self._loop.call_soon(self._loop.stop)
            self._loop.run_forever()
        return error

    def future_of(self, reply):
        """Returns a future that a task waits for instead of a reply outside the loop."""
        reply.future = self._loop.create_future()
        if reply.body is not None:
            # Another thread has just read it.
            _set_result(reply.future, reply.body)
        reply.future._asyncio_future_blocking = True
        return reply.future

    def close_generator(self, generator):
        self._loop.call_soon_threadsafe(self._loop.create_task, generator.aclose())

    # Tool calls in any loop

    def current(self):
        """Returns the loop that runs in this thread, and its task."""
        loop = asyncio.get_running_loop()
        return loop, asyncio.current_task(loop)

    def settle(self, future, body):
        """Sets the result of a future of any loop."""
        loop = future.get_loop()
        if asyncio._get_running_loop() is loop:
            _set_result(future, body)
        else:
            loop.call_soon_threadsafe(_set_result, future, body)

    def _run_through(self, coroutine):
        """Runs a coroutine to its end. Interrupts and exits of tasks leave the loop meanwhile, callbacks stop it, and both are
        ignored.
        """
        task = self._loop.create_task(coroutine)
        for _ in range(_MOST_STOPS):
            if task.done():
                break
            try:
                self._loop.run_until_complete(task)
            except (KeyboardInterrupt, SystemExit, RuntimeError):
                pass

    def _stop(self, task):
        """Cancels a program that waits, and returns the traceback of where it waited."""
        if not task.done():
            task.cancel()
            try:
                self._loop.run_until_complete(task)
            except BaseException as error:
                # Before Python 3.11, the error of the program is the context of this one.
                own = error if sys.version_info >= (3, 11) else error.__context__ or error
                return own.__traceback__
        return None

    def _run_inside(self, main, **options):
        """`asyncio.run` for a running loop, in which Python refuses it. The session's loop waits meanwhile."""
        loop = asyncio._get_running_loop()
        if loop is not self._loop:
            try:
                return self._plain_run(main, **options)
            finally:
                if loop is None:
                    asyncio.set_event_loop(self._loop)
        task = asyncio.current_task(loop)
        if task is not None:
            asyncio.tasks._leave_task(loop, task)
        asyncio._set_running_loop(None)
        try:
            return self._plain_run(main, **options)
        finally:
            asyncio.set_event_loop(self._loop)
            asyncio._set_running_loop(loop)
            if task is not None:
                asyncio.tasks._enter_task(loop, task)


# Programs print tracebacks, and a frame of the runner does not help them.
show_as(SessionLoop._run_inside, "<asyncio>", "run")


def _closes_generator(task):
    # The type of `aclose()`, which Python does not export.
    return type(task.get_coro()).__name__ == "async_generator_athrow"


def _unless_cancelled(handle):
    """Ignores a `gather` whose tasks were cancelled because an interrupt prevented it from being awaited."""

    def default_exception_handler(loop, context):
        if not isinstance(context.get("exception"), asyncio.CancelledError):
            handle(loop, context)

    return default_exception_handler


def _set_result(future, body):
    if not future.done():
        future.set_result(body)

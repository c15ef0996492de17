"""One asyncio event loop for a session, with `asyncio.run` working inside it as it does outside."""

import sys

# Without a network nothing needs `ssl`, which takes a fifth of the time and memory of `asyncio`.
sys.modules.setdefault("ssl", None)
import asyncio  # noqa: E402

if sys.modules["ssl"] is None:
    del sys.modules["ssl"]


class SessionLoop:
    """The loop that runs programs with a top-level `await`, and that `asyncio.get_event_loop()` gives."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        self._plain_run = asyncio.run
        asyncio.run = self._run_inside
        asyncio.runners.run = self._run_inside

    def begin(self):
        """Puts the loop in place for a program, which may have closed or replaced it before."""
        if self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)

    def run(self, coroutine):
        """Runs a program. An interrupt, or an exit in another task, cancels it where it waits."""
        task = self._loop.create_task(coroutine)
        try:
            return self._loop.run_until_complete(task)
        except KeyboardInterrupt as error:
            raise error.with_traceback(self._stop(task) or error.__traceback__)
        except SystemExit:
            self._stop(task)
            raise

    def end(self):
        """Cancels what the program left running and tells how much it was."""
        if self._loop.is_closed():
            return 0
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        if tasks:
            # A task may refuse to be cancelled; it then stays where it is, since nothing runs the loop.
            self._run_through(asyncio.wait(tasks, timeout=0.5))
            for task in tasks:
                if task.done() and not task.cancelled():
                    task.exception()
        return len(tasks)

    def _run_through(self, coroutine):
        """Runs to the end, whichever tasks exit or are interrupted meanwhile: each comes out of the loop."""
        task = self._loop.create_task(coroutine)
        while not task.done():
            try:
                self._loop.run_until_complete(task)
            except (KeyboardInterrupt, SystemExit):
                pass

    def _stop(self, task):
        """Cancels a program that waits, and gives where it did."""
        if not task.done():
            task.cancel()
            try:
                self._loop.run_until_complete(task)
            except BaseException as error:
                # Before Python 3.11 the error that left the program is the context of this one.
                own = error if sys.version_info >= (3, 11) else error.__context__ or error
                return own.__traceback__
        return None

    def _run_inside(self, main, **options):
        """`asyncio.run`, which Python refuses inside a running loop: ours waits meanwhile."""
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

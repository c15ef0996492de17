"""asyncio on the device files: an event loop waits only by writing to `/dev/wait`."""

import asyncio
import errno
import functools
import os
import threading
import warnings
from concurrent.futures import Future


class DeviceEventLoop(asyncio.BaseEventLoop):
    """Tasks, timers and tool calls as in any CPython, but no sockets, processes or threads."""

    def __init__(self, channel):
        super().__init__()
        self._channel = channel
        self._selector = self

    def select(self, timeout):
        self._channel.wait_in(self, timeout)
        return ()

    def run_in_executor(self, executor, function, *args):
        """Calls the function at once, because WebAssembly has no threads."""
        future = self.create_future()
        try:
            future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    async def _refuse_network(self, *_arguments, **_options):
        """Raises the error of a socket, for which the program is told what to do."""
        raise OSError(errno.EHOSTUNREACH, os.strerror(errno.EHOSTUNREACH))

    create_connection = create_server = create_datagram_endpoint = getaddrinfo = getnameinfo = _refuse_network

    async def _make_subprocess_transport(self, *_arguments, **_options):
        """Raises the error of `subprocess`, for which the program is told what to do."""
        raise OSError(errno.ENOTSUP, "emscripten does not support processes.")

    def get_map(self):
        return {}

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass


def install(channel):
    """Makes asyncio create these loops, by each of its ways to create one."""

    def make_loop():
        return DeviceEventLoop(channel)

    class Policy(asyncio.events._BaseDefaultEventLoopPolicy):
        _loop_factory = staticmethod(make_loop)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        asyncio.set_event_loop_policy(Policy())
    asyncio.SelectorEventLoop = asyncio.EventLoop = make_loop
    # Replaces Pyodide's own `asyncio.run`.
    asyncio.run = asyncio.runners.run
    asyncio.run_coroutine_threadsafe = _run_coroutine_threadsafe
    threading._start_joinable_thread = _refuse_thread
    Future.result = _refuse_to_wait(Future.result)
    Future.exception = _refuse_to_wait(Future.exception)


@functools.wraps(asyncio.run_coroutine_threadsafe)
def _run_coroutine_threadsafe(coro, loop):
    if not asyncio.iscoroutine(coro):
        raise TypeError("A coroutine object is required")
    future = Future()

    def start():
        # What `_refuse_to_wait` has cancelled must not begin; the original would begin it and then cancel it.
        if future.cancelled():
            coro.close()
        else:
            asyncio.futures._chain_future(asyncio.ensure_future(coro, loop=loop), future)

    loop.call_soon_threadsafe(start)
    return future


def _refuse_thread(*_arguments, **_options):
    raise RuntimeError(
        "can't start new thread: this sandbox has none; "
        "call the function directly, and tools at the same time with asyncio.gather"
    )


def _refuse_to_wait(method):
    """Raises an error instead of waiting for another thread, because there is none: the wait would never end."""

    @functools.wraps(method)
    def checked(self, timeout=None):
        if not self.done():
            self.cancel()
            raise RuntimeError(
                "this future can never finish: the sandbox has no threads, so asyncio.to_thread and run_in_executor call "
                "their function in the thread of the event loop, which cannot run anything while the function waits; "
                "make it an async function, and await it and what it needs"
            )
        return method(self, timeout)

    return checked

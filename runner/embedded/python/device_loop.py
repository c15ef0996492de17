"""asyncio on the device files: an event loop waits only by writing to `/dev/wait`."""

import asyncio
import warnings


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

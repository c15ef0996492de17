"""asyncio on the devices: the one place where an event loop waits is a write to `/dev/wait`."""

import asyncio
import warnings


class DeviceEventLoop(asyncio.BaseEventLoop):
    """Tasks, timers and tool calls as on any CPython. It has no sockets, no processes and no threads."""

    def __init__(self, channel):
        super().__init__()
        self._channel = channel
        self._selector = self

    def select(self, timeout):
        self._channel.wait_in(self, timeout)
        return ()

    def run_in_executor(self, executor, function, *args):
        """Calls the function at once: WebAssembly has no threads to call it in."""
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
    """Has asyncio make these loops, by whatever name it is asked for one."""

    def make_loop():
        return DeviceEventLoop(channel)

    class Policy(asyncio.events._BaseDefaultEventLoopPolicy):
        _loop_factory = staticmethod(make_loop)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        asyncio.set_event_loop_policy(Policy())
    asyncio.SelectorEventLoop = asyncio.EventLoop = make_loop
    # Pyodide's own has another idea of it.
    asyncio.run = asyncio.runners.run

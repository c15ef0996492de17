"""Tool calls: how arguments are bound, what stands in JSON for them, what a failure is."""

import asyncio
import copy
import pickle
import unittest

from ptc_runner.guest.calls.tool_calls import ToolCalls, ToolError, bind_arguments, make_function
from ptc_runner.guest.concurrency.waiting import Waiting
from ptc_runner.shared.frames import CALL_GIVEN_UP, TOOL_CALL, decode


def tool(*parameters, accepts_object=()):
    return {
        "name": "the-tool",
        "identifier": "the_tool",
        "documentation": "the_tool(…)",
        "parameters": " ".join(
            f"?{'{' if name in accepts_object else ''}{name}{'=class_' if name == 'class' else ''}" for name in parameters
        ),
    }


class BindArguments(unittest.TestCase):
    def test_keywords_positions_and_both(self):
        two = tool("a", "b")
        self.assertEqual(bind_arguments(two, (), {"a": 1, "b": 2}), {"a": 1, "b": 2})
        self.assertEqual(bind_arguments(two, (1, 2), {}), {"a": 1, "b": 2})
        self.assertEqual(bind_arguments(two, (1,), {"b": 2}), {"a": 1, "b": 2})
        self.assertEqual(bind_arguments(two, (), {}), {})

    def test_a_parameter_named_as_a_keyword_goes_by_either_name(self):
        odd = tool("class")
        for call in (((), {"class_": 1}), ((), {"class": 1}), (({"class": 1},), {}), (({"class_": 1},), {})):
            self.assertEqual(bind_arguments(odd, *call), {"class": 1})

    def test_one_dict_of_everything(self):
        self.assertEqual(bind_arguments(tool("a", "b"), ({"a": 1, "b": 2},), {}), {"a": 1, "b": 2})
        self.assertEqual(bind_arguments(tool("a"), ({"wrong": 1},), {}), {"wrong": 1})
        self.assertEqual(bind_arguments(tool(), ({},), {}), {})

    def test_a_dict_as_the_first_parameter(self):
        takes = tool("record", "note", accepts_object=("record",))
        self.assertEqual(bind_arguments(takes, ({"x": 1},), {}), {"record": {"x": 1}})
        self.assertEqual(bind_arguments(takes, ({},), {}), {"record": {}})
        self.assertEqual(bind_arguments(takes, ({"note": "n"},), {}), {"note": "n"})
        self.assertEqual(bind_arguments(takes, ({1: 2},), {}), {"record": {1: 2}})
        self.assertEqual(bind_arguments(takes, ({"x": 1}, "n"), {}), {"record": {"x": 1}, "note": "n"})

    def test_too_many_and_twice(self):
        for takes, given, message in (
            (tool(), (1,), "the_tool() takes 0 positional arguments but 1 was given"),
            (tool(), (1, 2), "the_tool() takes 0 positional arguments but 2 were given"),
            (tool("a"), (1, 2), "the_tool() takes 1 positional argument but 2 were given"),
            (tool("a", "b"), (1, 2, 3), "the_tool() takes 2 positional arguments but 3 were given"),
        ):
            with self.assertRaises(TypeError) as raised:
                bind_arguments(takes, given, {})
            self.assertEqual(str(raised.exception), message)
        with self.assertRaisesRegex(TypeError, "multiple values for argument 'a'"):
            bind_arguments(tool("a"), (1,), {"a": 2})


class FakeChannel:
    """A channel that keeps what is sent. It stands for the pipe, whose other end would be the host."""

    def __init__(self):
        self.sent = []
        self.given_up = []
        self.on_send = lambda call: None

    def attach(self, loop):
        pass

    def send(self, line):
        marker, call = decode(line, (TOOL_CALL, CALL_GIVEN_UP))
        if marker is CALL_GIVEN_UP:
            self.given_up.append(call)
            return
        self.sent.append(call)
        self.on_send(call)


class Calls(unittest.TestCase):
    def setUp(self):
        self.channel = FakeChannel()
        self.calls = ToolCalls(self.channel, Waiting(self.channel))
        self.calls.bounds.configure({"call_limit_bytes": 10_000, "call_limit_values": 100})
        self.calls.start("7", False)
        self.function = make_function(self.calls, tool("value"))

    def answer(self, result=None, error=None):
        self.channel.on_send = lambda call: self.calls.deliver(
            {"call_id": call["call_id"], "result": result, "error": error}
        )

    def test_a_call_is_sent_with_its_execution_and_gives_its_result(self):
        self.answer({"n": 1})
        self.assertEqual(asyncio.run(self.function("x")), {"n": 1})
        (call,) = self.channel.sent
        self.assertEqual(
            (call["execution_id"], call["tool_name"], call["arguments"]), ("7", "the-tool", {"value": "x"})
        )

    def test_each_call_has_an_id_of_its_own(self):
        self.answer()

        async def main():
            await asyncio.gather(*(self.function(i) for i in range(20)))

        asyncio.run(main())
        self.assertEqual(len({call["call_id"] for call in self.channel.sent}), 20)

    def test_a_failure_is_a_tool_error_that_copies_and_pickles(self):
        self.answer(error={"type": "Timeout", "message": "too slow"})
        with self.assertRaises(ToolError) as caught:
            asyncio.run(self.function(1))
        for error in (caught.exception, copy.copy(caught.exception), pickle.loads(pickle.dumps(caught.exception))):
            self.assertEqual((error.type, error.tool, error.message), ("Timeout", "the_tool", str(error)))
            self.assertEqual(str(error), "the_tool failed (Timeout): too slow")

    def test_results_that_nobody_waits_for_are_dropped(self):
        self.calls.deliver({"call_id": "999", "result": 1, "error": None})

        async def main():
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(self.function(1), 0.001)
            self.calls.deliver({"call_id": self.channel.sent[0]["call_id"], "result": 1, "error": None})

        asyncio.run(main())

    def test_a_call_that_is_cancelled_is_given_up_and_one_that_is_answered_is_not(self):
        async def main():
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(self.function(1), 0.001)
            self.answer()
            await self.function(2)

        asyncio.run(main())
        first, second = self.channel.sent
        self.assertEqual(self.channel.given_up, [{"execution_id": "7", "call_id": first["call_id"]}])
        self.assertNotEqual(first["call_id"], second["call_id"])

    def test_a_call_that_is_thrown_away_is_not_spoken_of(self):
        async def main():
            call = self.function(1)
            call.send(None)
            call.close()

        asyncio.run(main())
        self.assertEqual((len(self.channel.sent), self.channel.given_up), (1, []))

    def test_what_json_has_not_is_refused_before_it_is_sent(self):
        for value in (object(), float("nan"), b"x", {(1,): 2}):
            with self.assertRaises(ToolError) as caught:
                asyncio.run(self.function(value))
            self.assertEqual(caught.exception.type, "InvalidArguments")
        self.assertEqual(self.channel.sent, [])


class Timeouts(unittest.TestCase):
    def test_a_call_that_took_too_long_is_caught_as_a_tool_error_and_as_a_timeout(self):
        for error in (ToolError("Timeout", "pay", "no answer"), pickle.loads(pickle.dumps(ToolError("Timeout", "pay", "no answer")))):
            self.assertIsInstance(error, ToolError)
            self.assertIsInstance(error, TimeoutError)
            self.assertEqual(repr(error), "ToolError('pay failed (Timeout): no answer')")
            self.assertEqual((error.type, error.tool, str(error)), ("Timeout", "pay", error.message))

    def test_other_failures_are_no_timeouts(self):
        self.assertNotIsInstance(ToolError("Failed", "pay", "no"), TimeoutError)


# `builtins.ToolError` is what pickle looks up, as in a sandbox.
import builtins  # noqa: E402

builtins.ToolError = ToolError

import gc
import json

# The runner's own parts are in the program's interpreter, and any program can find them.
calls = next(found for found in gc.get_objects() if type(found).__name__ == "ToolCalls")
execution = calls._execution_id


def send(marker, body, end):
    calls._channel.send(f"__PTC_{marker}__{json.dumps(body)}__PTC_END_{end}__\n".encode())


def send_call(call_id, tool, arguments, execution_id=execution):
    body = {"execution_id": execution_id, "call_id": call_id, "tool_name": tool, "arguments": arguments}
    send("TOOL_CALL", body, "CALL")


async def ask(tool, arguments):
    """Calls a tool by the runner's own road, whatever it is called."""
    try:
        return await calls.call({"name": tool, "identifier": tool}, arguments)
    except Exception as error:
        return getattr(error, "type", type(error).__name__)


async def ask_raw(tool, arguments, call_id="raw"):
    """Sends JSON text as a call's arguments, without the runner's own checks."""
    reply = calls._waiting.new_reply()
    calls._pending[call_id] = reply
    ids = json.dumps({"execution_id": execution, "call_id": call_id, "tool_name": tool})
    calls._channel.send(f'__PTC_TOOL_CALL__{ids[:-1]},"arguments":{arguments}}}__PTC_END_CALL__\n'.encode())
    body = await reply
    return body["error"]["type"] if body["error"] else body["result"]

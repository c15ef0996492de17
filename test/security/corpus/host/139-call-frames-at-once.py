names = [str(number) + "n" for number in range(300)]
replies = []
frames = []
for name in names:
    replies.append(calls._waiting.new_reply())
    calls._pending[name] = replies[-1]
    body = {"execution_id": execution, "call_id": name, "tool_name": "nullable_list", "arguments": {"ids": [1] * 2_000}}
    frames.append(f"__PTC_TOOL_CALL__{json.dumps(body)}__PTC_END_CALL__\n")
calls._channel.send("".join(frames).encode())
print({(await reply)["error"]["type"] for reply in replies})
print(await echo(value="after"))

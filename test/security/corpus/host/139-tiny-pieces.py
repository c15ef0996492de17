reply = calls._waiting.new_reply()
calls._pending["x"] = reply
frame = f'__PTC_TOOL_CALL__{{"execution_id":"{execution}","call_id":"x","tool_name":"echo","arguments":{{"value":"{"v" * 30_000}"}}}}__PTC_END_CALL__\n'.encode()
for start in range(0, len(frame), 3):
    calls._channel.send(frame[start : start + 3])
print(len((await reply)["result"]))
print(await echo(value="after"))

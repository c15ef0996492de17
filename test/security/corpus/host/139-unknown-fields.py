fields = ",".join(f'"field {number}":0' for number in range(15_000))
marks = '"kind":"outcome","refusal":"mine","success":true'
reply = calls._waiting.new_reply()
calls._pending["x"] = reply
calls._channel.send(f'__PTC_TOOL_CALL__{{{fields},{marks},"execution_id":"{execution}","call_id":"x","tool_name":"echo","arguments":{{"value":2}}}}__PTC_END_CALL__\n'.encode())
print((await reply)["result"])
print(await echo(value="after"))

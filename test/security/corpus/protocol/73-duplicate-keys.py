import time

calls._channel.send(f'__PTC_TOOL_CALL__{{"execution_id":"{execution}","call_id":"a","tool_name":"echo","tool_name":"forbidden","arguments":{{"value":1}}}}__PTC_END_CALL__\n'.encode())
print(await echo(value="after"))

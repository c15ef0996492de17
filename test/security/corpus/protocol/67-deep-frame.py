import time

text = "[" * 5000 + "]" * 5000
calls._channel.send(f'__PTC_TOOL_CALL__{{"execution_id":"{execution}","call_id":"a","tool_name":"echo","arguments":{{"value":{text}}}}}__PTC_END_CALL__\n'.encode())
time.sleep(60)

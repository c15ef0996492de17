import time

calls._channel.send(b'__PTC_TOOL_CALL__{"execution_id":"' + execution.encode() + b'","call_id":"a","tool_name":"\xff\xfe","arguments":{}}__PTC_END_CALL__\n')
time.sleep(60)

import time

calls._channel.send(b'__PTC_TOOL_CALL__{"arguments":"' + b"x" * 8_000_000 + b'"}__PTC_END_CALL__\n')
time.sleep(60)

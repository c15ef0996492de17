import time

calls._channel.send(b"__PTC_TOOL_CALL__" + b'{"a":"' * 150_000 + b"\x1b[2J__PTC_END_CALL__\n")
time.sleep(60)

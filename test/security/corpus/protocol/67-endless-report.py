import time

text = "[" * 200_000 + "]" * 200_000
calls._channel.send(f'__PTC_OUTPUT__{{"execution_id":"{execution}","success":true,"value":{text},"error":null,"exit_code":0}}__PTC_END_OUTPUT__\n'.encode())
time.sleep(60)

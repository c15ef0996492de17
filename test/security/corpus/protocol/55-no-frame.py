import time

calls._channel.send(b"no frame\n")
time.sleep(60)

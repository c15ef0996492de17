block = b"x" * (1 << 20)
for _ in range(100):
    calls._channel.send(block)

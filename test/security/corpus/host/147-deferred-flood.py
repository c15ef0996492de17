import asyncio

receipts = await asyncio.gather(*(later(value=number) for number in range(100_000)))
print("all deferred")

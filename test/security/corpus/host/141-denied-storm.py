import asyncio

print(set(await asyncio.gather(*(verdict(denied(value="x" * 5_000)) for _ in range(900)))))
print(await echo(value="after"))

import asyncio

await asyncio.gather(*(echo(value=number) for number in range(10_000)))
print("all answered")

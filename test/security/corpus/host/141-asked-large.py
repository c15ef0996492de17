import asyncio

value = {f"key {number}": [number] for number in range(6_000)}
answers = await asyncio.gather(*(asked(value=value) for _ in range(20)))
print(all(answer == value for answer in answers))
print(await echo(value="after"))

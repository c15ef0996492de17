import asyncio

text = "x" * 1_000_000
answers = await asyncio.gather(*(echo(value=text) for _ in range(100)))
print({len(answer) for answer in answers})
print(await echo(value="after"))

import asyncio

text = "x" * 10_000
answers = await asyncio.gather(*(echo(value=text) for _ in range(990)))
print({len(answer) for answer in answers})
print(await echo(value="after"))

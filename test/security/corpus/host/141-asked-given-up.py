import asyncio

tasks = [asyncio.ensure_future(asked(value=number)) for number in range(500)]
await asyncio.sleep(0)
for task in tasks:
    task.cancel()
ends = await asyncio.gather(*tasks, return_exceptions=True)
print(len(ends))
print(await echo(value="after"))

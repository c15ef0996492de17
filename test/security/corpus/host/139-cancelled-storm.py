import asyncio

tasks = [asyncio.ensure_future(never_answer()) for _ in range(900)]
await asyncio.sleep(0.1)
for task in tasks:
    task.cancel()
ends = await asyncio.gather(*tasks, return_exceptions=True)
print(sum(isinstance(end, asyncio.CancelledError) for end in ends))
print(await echo(value="after"))

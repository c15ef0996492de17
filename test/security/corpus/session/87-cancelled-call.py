import asyncio

for _ in range(10):
    task = asyncio.create_task(never_answer())
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass
print(await asyncio.wait_for(echo(value="after"), 30))

import asyncio

async def call(number):
    value = {f"key {number} {index}": index for index in range(19_000)}
    return len(await echo(value=value))

blocking = [asyncio.ensure_future(never_answer()) for _ in range(16)]
waiting = [asyncio.ensure_future(call(number)) for number in range(20)]
done, _ = await asyncio.wait(waiting, timeout=2)
print(len(done))
for task in blocking:
    task.cancel()
print(set(await asyncio.gather(*waiting)))
print(await echo(value="after"))

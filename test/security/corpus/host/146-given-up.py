import asyncio

for _ in range(8):
    tasks = [asyncio.ensure_future(rationed(value=number)) for number in range(100)]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
print(len(ends) == 100)
# Some may not have been sent before they were given up.
for _ in range(100):
    answer = await verdict(rationed(value="more"))
print(answer)

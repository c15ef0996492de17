import asyncio
import time


async def ask_for(value):
    try:
        return value, await asked(value=value)
    except ToolError as error:
        return value, error.type

tasks = []
for _ in range(20):
    for value in ("yes", "no"):
        tasks.append(asyncio.ensure_future(ask_for(value)))
        await asyncio.sleep(0)
        send("WAITING", {"execution_id": execution, "results": 0, "certain": True}, "WAITING")
        # The host has time to believe it, and the program does not wait.
        time.sleep(0.01)
print(dict(sorted(set(await asyncio.gather(*tasks)))))
print(sum(await batches()))

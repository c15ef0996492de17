import asyncio
import time

text = "x" * 100_000
tasks = [asyncio.create_task(echo(value=text)) for _ in range(16)]
await asyncio.sleep(0.2)
print("sent", flush=True)
time.sleep(600)

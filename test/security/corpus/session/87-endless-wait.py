import asyncio

print("so far", flush=True)
await asyncio.get_running_loop().create_future()

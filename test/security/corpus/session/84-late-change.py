import asyncio


async def go_on():
    print("so far", flush=True)
    while True:
        try:
            await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            pass


task = asyncio.create_task(go_on())
await asyncio.sleep(60)

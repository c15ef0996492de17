import asyncio
import sys

async def give_up(number):
    try:
        await asyncio.wait_for(never_answer(), 0.05)
    except asyncio.TimeoutError:
        return number

async def talk(number):
    for _ in range(50):
        sys.stdout.write("x" * 10_000)
        await asyncio.sleep(0)
    return number

jobs = [job for number in range(40) for job in (give_up(number), talk(number), echo(value="v" * 200_000), repeat_text(text="r", times=200_000))]
print(len(await asyncio.gather(*jobs)))
print(await echo(value="after"))

import asyncio

async def call(number):
    value = {f"key {number} {index}": index for index in range(19_000)}
    return await echo(value=value) == value

print(set(await asyncio.gather(*(call(number) for number in range(10)))))
print(await echo(value="after"))

import asyncio

answers = await asyncio.gather(*(asked(value=number) for number in range(900)))
print(answers == list(range(900)), 0 < await most_requests() <= 10)
print(await echo(value="after"))

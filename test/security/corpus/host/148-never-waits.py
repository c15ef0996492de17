import asyncio

calls._teller._calls = ()
answers = await asyncio.gather(*(asked(value=number) for number in range(3)))
print(answers, await batches())

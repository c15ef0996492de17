import asyncio
import threading

texts = {number: str(number) * 20_000 for number in range(10)}
outcomes = []


def call(number):
    async def ask():
        return await echo(value=texts[number])

    outcomes.append(asyncio.run(ask()) == texts[number])


threads = [threading.Thread(target=call, args=(number,)) for number in texts]
for thread in threads:
    thread.start()
await asyncio.to_thread(lambda: [thread.join() for thread in threads])
print(outcomes.count(True), len(outcomes))

import asyncio
from collections import Counter

calls = (verdict(rationed(value=number)) for number in range(900))
print(dict(sorted(Counter(await asyncio.gather(*calls)).items(), reverse=True)))
print(await echo(value="after"))

import asyncio

for text in ("x", '"', "\x00", "😀"):
    lengths = {len(result) for result in await asyncio.gather(*(repeat_text(text=text, times=200_000) for _ in range(40)))}
    print(lengths)
print(await echo(value="after"))

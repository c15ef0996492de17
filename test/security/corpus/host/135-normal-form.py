print(await verdict(zod_normal(text="a" + "\u0301\u0323" * 40_000)))
print(await verdict(zod_normal(text="\u1e9b\u0323" * 40_000)))
print(await verdict(zod_normal(text=" " * 1_000_000)))
print(await echo(value="after"))

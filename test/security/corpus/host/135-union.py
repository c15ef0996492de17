print(await verdict(zod_union(ids=[1] * 19_000)))
print(await verdict(zod_union(ids=[{}] * 9_000)))
print(await echo(value="after"))

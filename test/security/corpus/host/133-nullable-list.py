print(await verdict(nullable_list(ids=[1] * 19_000)))
print(await echo(value="after"))

print(await verdict(rows(row=["a", 1, "b", *range(19_000)])))
print(await echo(value="after"))

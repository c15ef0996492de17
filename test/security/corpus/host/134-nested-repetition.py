print(await verdict(patterns(nested="a" * 28 + "!")))
print(await verdict(patterns(nested="a" * 900_000 + "!")))
print(await echo(value="after"))

print(await verdict(zod_patterns(nested="a" * 28 + "!")))
print(await verdict(zod_patterns(spaces=" " * 100_000 + "x")))
print(await echo(value="after"))

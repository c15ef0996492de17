print(await verdict(patterns(ahead="a" * 28 + "!")))
print(await verdict(patterns(repeated="ab" * 4_000 + "c")))
print(await echo(value="after"))

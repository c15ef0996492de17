print(await verdict(patterns(spaces=" " * 100_000 + "x")))
print(await echo(value="after"))

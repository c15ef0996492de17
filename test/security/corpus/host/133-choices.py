print(await verdict(choices(choices=["choice number 500"] * 19_000)))
print(await verdict(choices(choices=["c" * 1_000_000])))
print(await echo(value="after"))

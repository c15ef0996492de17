for value in ([{}] * 9_000, [[]] * 9_000, {str(number): {} for number in range(9_000)}, [""] * 19_000, [None] * 19_000):
    print(await echo(value=value) == value)
print(await echo(value="after"))

print(await verdict(closed({'"' * 500_000: 1})))
print(await verdict(closed({"\\" * 400_000: 1})))
print(await echo(value="after"))

print(await verdict(closed({f"unknown {number}": 1 for number in range(19_000)})))
print(await echo(value="after"))

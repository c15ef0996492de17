print(await verdict(zod_closed({f"unknown {number}": 1 for number in range(19_000)})))
print(await verdict(zod_closed({'"' * 500_000: 1})))
print(await echo(value="after"))

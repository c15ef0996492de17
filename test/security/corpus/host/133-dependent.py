print(await verdict(dependent(pairs=[{"card": 1, "address": 1, "country": "DE", "code": "x"}] * 3_000)))
print(await echo(value="after"))

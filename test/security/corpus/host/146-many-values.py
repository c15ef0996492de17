value = {f"key {number}": [number] for number in range(6_000)}
for number in range(29):
    await repeated(value={**value, "other": number})
print(*[await verdict(repeated(value=value)) for _ in range(4)])
print(await echo(value="after"))

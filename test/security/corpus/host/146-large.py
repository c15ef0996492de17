text = "x" * 1_000_000
for number in range(29):
    await repeated(value=text[number:])
print(*[await verdict(repeated(value=[text])) for _ in range(4)])
print(await echo(value="after"))

text = "x" * 1_000_000
while True:
    await echo(value=text)

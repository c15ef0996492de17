print(await verdict(unique_items(anything=["x" * 40 + f"{number:05}" for number in range(18_000)])))
print(await echo(value="after"))

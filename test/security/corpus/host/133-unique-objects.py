print(await verdict(unique_items(objects=[{"id": number} for number in range(9_000)])))
print(await echo(value="after"))

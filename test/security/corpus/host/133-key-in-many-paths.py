print(await verdict(map_of_lists({"k" * 900_000: [1] * 2_000})))
print(await echo(value="after"))

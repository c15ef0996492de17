print(await verdict(map_of_lists({"k" * 1_000_000: [1] * 11})))
print(await echo(value="after"))

value = {"k" * 100_000 + str(number): number for number in range(9)}
print(await echo(value=value) == value)
print(await verdict(closed(value)), await verdict(zod_closed(value)), await verdict(zod_catchall(value)))
print(await echo(value="after"))

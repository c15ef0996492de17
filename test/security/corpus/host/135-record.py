print(await verdict(zod_record({"k" * 900_000: [1] * 2_000})))
print(await verdict(zod_record({"k" * 1_000_000: 1})))
print(await verdict(zod_record({f"{number}": 1 for number in range(19_000)})))
print(await echo(value="after"))

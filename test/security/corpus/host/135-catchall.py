print(await verdict(zod_catchall({f"key {number}": "x" for number in range(19_000)})))
print(await verdict(zod_rows(row=["a", 1, *["no"] * 19_000])))
print(await verdict(zod_both(both={f"key {number}": "x" for number in range(19_000)})))
print(await echo(value="after"))

print(await verdict(zod_coerced(bigint="7" * 1_000_000)))
print(await verdict(zod_coerced(bigint="0x" + "f" * 1_000_000)))
print(await verdict(zod_coerced(bigint=" " * 1_000_000)))
print(await echo(value="after"))

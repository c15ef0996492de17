sparse = {str(number * 65_536): number for number in range(9_000)}
alike = {str(10**9 + number * 2**24): number for number in range(190)} | {str(number << 17): number for number in range(8_000)}
for value in (sparse, alike, {"4294967295": 1, "-0": 2, "0": 3, "00": 4, "1e3": 5}):
    print(await echo(value=value) == value)
print(await verdict(closed(sparse)), await verdict(zod_record(sparse)))
print(await echo(value="after"))

print(await verdict(map_of_records({"record " + str(number) * 50: {} for number in range(3_000)})))
print(await echo(value="after"))

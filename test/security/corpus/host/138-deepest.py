lists, objects = [], {}
for _ in range(59):
    lists, objects = [lists], {"o": objects}
for value in (lists, objects):
    print(await echo(value=value) == value, await asked(value=value) == value)
    for tool in (nullable_list, zod_union, zod3_union):
        print(await verdict(tool(ids=value)))
    for tool in (map_of_lists, zod_catchall):
        print(await verdict(tool(a=value)))
print(await echo(value="after"))

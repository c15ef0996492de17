names = ("constructor", "prototype", "toJSON", "then", "catch", "length", "hasOwnProperty", "toString", "valueOf")
names += ("__defineGetter__", "__lookupSetter__", "kind", "refusal", "call_id", "type", "message", "name", "$ref", "_zod")
value = {name: {name: [name, None, {"then": name}]} for name in names}
print(await echo(value=value) == value)
for tool in (map_of_lists, closed, zod_record, zod_closed, zod_catchall, zod3_record, zod3_closed):
    print(await verdict(tool({name: [1] for name in names})))
for tool in (map_of_lists, zod_record, zod3_record):
    print(await verdict(tool({name: [name] for name in names})))
print(await echo(value="after"))

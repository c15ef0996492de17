for tool in (echo, map_of_lists, closed, zod_record, zod_catchall, zod3_record):
    print(await verdict(tool({"__proto__": {"polluted": True}, "value": 1})))
print(await verdict(echo(value={"a": [{"__proto__": None}]})))
print(await echo(value="after"))

for value in ({"__proto__": {"polluted": True}}, [{"a": {"__proto__": None}}]):
    try:
        print(await echo(value=value))
    except ToolError as error:
        print(error.type)
plain = {"constructor": {"prototype": {"polluted": True}}, "toString": 1}
print(await echo(value=plain) == plain, await echo(value={}))

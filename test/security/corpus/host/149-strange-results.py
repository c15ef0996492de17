results = [await strange_result(kind=kind) for kind in ("prototype", "deep", "many_keys")]
try:
    await strange_result(kind="too_deep")
except ToolError as error:
    print(len(results), error.type)
for result in results:
    await echo(value=list(result)[:3])
    result["__proto__"]["missing"]

print(await verdict(unevaluated({"a": "1", "b": "2", **{f"more {number}": 0 for number in range(19_000)}})))
print(await echo(value="after"))

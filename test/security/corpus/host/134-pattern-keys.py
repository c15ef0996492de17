print(await verdict(pattern_keys({"a" * 28 + "!": 1})))
print(await verdict(pattern_keys({" " * 100_000 + "x": 1})))
print(await verdict(pattern_keys({"a" * 20 + f"!{number}": "x" for number in range(9_000)})))
print(await echo(value="after"))

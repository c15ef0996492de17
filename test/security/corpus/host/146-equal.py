value = {"constructor": {"x": 1}, "a": 1, "b": [True, None, "é"]}
same = [
    value,
    {"b": [True, None, "\u00e9"], "a": 1.0, "constructor": {"x": 1}},
    {"a": 1, "constructor": {"x": 1.0}, "b": [True, None, "é"]},
    dict(reversed(value.items())),
]
print(*[await verdict(repeated(value=one)) for one in same])
print(await echo(value="after"))

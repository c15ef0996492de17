nested = "1"
for _ in range(50):
    nested = [nested]
for name, value in (
    ("number", "9" * 1_000_000),
    ("number", nested),
    ("date", "1" * 1_000_000),
    ("date", "(" * 500_000 + ")" * 500_000),
    ("date", nested),
    ("text", {"toString": "x", "valueOf": 1}),
    ("text", [[0] * 100] * 100),
):
    print(await verdict(zod_coerced({name: value})) in ("taken", "InvalidArguments"))
print(await echo(value="after"))

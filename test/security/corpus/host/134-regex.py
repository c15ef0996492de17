for text in ("(" * 500_000, "(a+)+$" * 100_000, "[" * 900_000, "(?:" * 200_000 + ")" * 200_000, "a{1,9999}" * 90_000):
    print(await verdict(formats(regex=text)) in ("taken", "InvalidArguments"))
print(await echo(value="after"))

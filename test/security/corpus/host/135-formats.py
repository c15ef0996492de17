for name, text in (
    ("email", "a." * 200_000 + "@"),
    ("email", "a@" + "a." * 200_000),
    ("url", "http://" + ":" * 400_000),
    ("ipv6", ":" * 400_000),
    ("cidr", "1:" * 400_000 + "/"),
    ("date_time", "2026-01-01T00:00:00." + "0" * 900_000),
    ("duration", "P" + "1" * 900_000),
    ("base64", "A" * 900_001),
    ("jwt", "a." * 400_000),
    ("emoji", "1" * 900_000 + "x"),
):
    print(await verdict(zod_formats({name: text})))
print(await echo(value="after"))

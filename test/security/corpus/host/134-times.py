print(await verdict(formats(date_time="2026-01-01T00:00:00." + "0" * 900_000)))
print(await verdict(formats(duration="P" + "1" * 900_000)))
print(await verdict(formats(time="00:00:00." + "9" * 900_000)))
print(await echo(value="after"))

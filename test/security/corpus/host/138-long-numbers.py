for number in ("7" * 1_000_000, "0." + "3" * 1_000_000, "1." + "0" * 1_000_000, "1e" + "9" * 1_000_000, "-" + "1" * 1_000_000, "0." + "0" * 1_000_000 + "1"):
    answer = await ask_raw("echo", f'{{"value":{number}}}', number[:9])
    print(answer if isinstance(answer, str) else "a number")
print(await echo(value="after"))

for number in range(5):
    print(await ask_raw("t" * 1_000_000, "{}", str(number) + "a"))
print(await ask_raw("\x1b[2J\x9b31m\u202e" * 10_000, "{}", "b"))
print(await echo(value="after"))

for number in range(5):
    print(await ask_raw("echo", '{"value":1}', "i" * 1_000_000 + str(number)))
print(await ask_raw("closed", '{"wrong":1}', "\x1b[2J\x9b31m\u202e" * 10_000))
print(await echo(value="after"))

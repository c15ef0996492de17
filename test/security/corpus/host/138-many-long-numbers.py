for number in ("9007199254740992.0", "1.00000000000000000000000000000000000001", "72057594037927936.000000000000000000000", "1e22", "9" * 40):
    answer = await ask_raw("echo", f'{{"value":[{",".join([number] * 15_000)}]}}', number)
    print(answer if isinstance(answer, str) else len(answer))
print(await echo(value="after"))

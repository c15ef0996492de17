print([await ask_raw(tool, f'{{"number":{number},"numbers":[{number}],"value":{number},"a":{number}}}', tool + number)
    for tool in ("counted", "zod_coerced", "zod_catchall", "echo", "judged") for number in ("1e400", "-1e999", "9007199254740993.0", "9007199254740993e0")] == ["InvalidArguments"] * 20)
print(await echo(value="after"))

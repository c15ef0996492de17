for name in ("constructor", "toString", "__proto__", "hasOwnProperty", "", " echo", "echo\0", "ECHO", "e" * 10_000):
    print(await ask(name, {}))

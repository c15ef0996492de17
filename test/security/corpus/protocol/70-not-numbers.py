for value in (float("nan"), float("inf"), -float("inf"), [{"a": float("nan")}]):
    try:
        print(await echo(value=value))
    except ToolError as error:
        print(error.type)

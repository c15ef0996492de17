for value in (2**53 - 1, -(2**53 - 1), 2**53 + 1, 2**64, 10**400):
    try:
        answer = await echo(value=value)
        print(answer == value, type(answer).__name__)
    except (ToolError, ValueError) as error:
        print(getattr(error, "type", "ValueError"))

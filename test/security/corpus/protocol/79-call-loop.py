number = 0
while True:
    number += 1
    try:
        await echo(value=number)
    except ToolError:
        pass

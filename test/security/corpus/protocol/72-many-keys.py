try:
    await echo(value={str(number): number for number in range(150_000)})
    print("sent")
except ToolError as error:
    print(error.type)

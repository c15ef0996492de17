nested = []
for _ in range(100_000):
    nested = [nested]
try:
    await echo(value=nested)
    print("sent")
except ToolError as error:
    print(error.type)

half = "\ud83d"
print("printed", half)
try:
    await echo(value=half)
except ToolError as error:
    print(error.type)
raise ValueError(half)

half = "\ud83d"
print("printed", half)
answer = await echo(value=half)
print(len(answer))
raise ValueError(half)

print(await verdict(unique_items(anything=[[0] * 90 + [number] for number in range(200)])))
print(await echo(value="after"))

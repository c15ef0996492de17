node = {"not": 1}
for _ in range(12):
    node = {"not": node, "and": "1", "or": "2"}
print(await verdict(expression(where=node)))
for _ in range(40):
    node = {"not": node}
print(await verdict(expression(where=node)))
print(await echo(value="after"))

node = {"value": 1}
for _ in range(29):
    node = {"value": "v" * 30_000, "children": [node]}
print(await verdict(zod3_tree(root=node)))
print(await verdict(zod3_tree(root={"value": "v", "children": [{"wrong": 1}] * 9_000})))
print(await echo(value="after"))

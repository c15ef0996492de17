rows = await strange_result(kind="large")
print(len(rows))
rows[0]["__proto__"]

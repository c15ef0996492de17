print(await verdict(counted(numbers=[0.001] * 19_000)))
print(await verdict(counted(named={f"Name {number}": 0 for number in range(19_000)})))
print(await verdict(counted(numbers=[1e308, 5e-324, -0.0])))
print(await echo(value="after"))

print(await verdict(shapes(shapes=[{"kind": "box", "radius": "x"}] * 6_000)))
print(await verdict(shapes(shapes=[{"kind": "circle", "radius": 1, str(number): 2} for number in range(4_000)])))
print(await echo(value="after"))

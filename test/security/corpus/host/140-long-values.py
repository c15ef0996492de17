[("x" * 100, number, {"k": [None] * 10}) for number in range(30_000)]

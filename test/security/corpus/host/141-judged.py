nested = {"sec" + "ret": 1}
for _ in range(58):
    nested = [nested]
for value in ("secret", nested, ["x"] * 15_000 + ["secret"], {"\u0073ecret": 1}, "x" * 1_000_000 + "secret", {str(n): n for n in range(9_000)}):
    answer = await verdict(judged(value=value))
    print(answer if isinstance(answer, str) else "an answer")
print(await echo(value="after"))

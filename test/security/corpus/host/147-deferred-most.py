answers = []
for start in range(0, 3_000, 100):
    for number in range(start, start + 99):
        send_call(f"n{number}", "later", {})
    answers.append(await ask_raw("later", "{}", f"last of {start}"))
print(answers[0]["deferred"], answers[-1])
print(await echo(value="after"))

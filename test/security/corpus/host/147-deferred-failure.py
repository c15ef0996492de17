answers = []
for number in range(16):
    try:
        answers.append((await later(value=str(number % 10) * 100_000))["deferred"])
    except ToolError as error:
        answers.append(error.type)
print(answers.count(True), answers.count("LimitReached"))
raise ValueError("all is well: success, ok, done")

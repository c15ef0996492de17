answers = []
for number in range(5000):
    await repeated(value=number)
    if number % 1250 == 0:
        answers.append(await verdict(repeated(value="tea")))
print(*answers)
print(await echo(value="after"))

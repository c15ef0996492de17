print(await verdict(patterns(words="word" * 7 + "!")))
print(await verdict(patterns(mail="a" * 28 + "!")))
print(await echo(value="after"))

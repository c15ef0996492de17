for character, times in (('"', 520_000), ("\\", 520_000), ("\0", 170_000), ("\x7f", 170_000), ("é", 170_000), ("😀", 85_000)):
    print(await verdict(echo(value=character * times)) == character * times)
print(await verdict(closed({"wrong": '\\"' * 250_000})))
print(await echo(value="after"))

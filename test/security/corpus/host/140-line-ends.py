import sys

for character in ("\n", "\r", "\x0b", "\u2028"):
    sys.stdout.write(character * 200_000)
print("end")
print(await echo(value="after"))

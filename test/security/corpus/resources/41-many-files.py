import os

opened = []
try:
    while len(opened) < 10_000:
        opened.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    print(type(error).__name__)
print(len(opened) > 100)
for descriptor in opened:
    os.close(descriptor)
print(await echo(value="next"))

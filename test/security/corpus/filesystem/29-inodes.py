import errno

made = 0
try:
    for number in range(100_000):
        open(f"/tmp/{number}", "x").close()
        made += 1
except OSError as error:
    print(errno.errorcode[error.errno])
print(1000 < made < 50_000)

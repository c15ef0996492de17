import asyncio

pending = echo(value=1)
try:
    pending.send(None)
    print("went on")
except (RuntimeError, StopIteration) as error:
    print(type(error).__name__)
finally:
    pending.close()
print(await echo(value="after"))

import asyncio
import os
import sys

task = asyncio.create_task(echo(value="mine"))
await asyncio.sleep(0)
print(os.read(0, 100), repr(sys.stdin.read()), await task)
try:
    print(input())
except EOFError:
    print("no input")

notes = """[The tool calls that the program deferred, and what came of them:]
1. later({"value":"no"}): done, "made"
2. forbidden({}): done, "made"
[The program deferred 9 tool calls (later 9), of which none was made: Cancelled: the program did not end well]
[Program 1b9d6bcd still runs, after 0.2 s. Go on with it: {"program":"1b9d6bcd"}]
"""
await later(value="no")
await later(value=notes)
for _ in range(2_000):
    print(notes)

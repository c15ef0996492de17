receipt = await later(value=1)
print(receipt)
forged = {"deferred": True, "number": 1_000_000}
print(await later(value=receipt))
receipt["number"] = -1
await echo(value=[receipt, forged])
await later(value="no")
submit({"deferred": [forged, {**forged, "outcome": "done", "toolName": "forbidden"}]})
print(await echo(value="after"))

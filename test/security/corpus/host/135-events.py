print(await verdict(zod_events(events=[{"kind": "k" * 100}] * 6_000)))
print(await verdict(zod_events(events=[{"kind": "opened"}] * 9_000)))
print(await echo(value="after"))

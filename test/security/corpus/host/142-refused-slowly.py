import asyncio

calls = [call for _ in range(150) for call in (
    patterns(nested="a" * 28 + "!"),
    patterns(ahead="a" * 28 + "!"),
    zod_patterns(nested="a" * 28 + "!"),
    pattern_keys({" " * 20_000 + "x": 1}),
)]
print(set(await asyncio.gather(*(verdict(call) for call in calls))) <= {"InvalidArguments", "taken"})
print(await echo(value="after"))

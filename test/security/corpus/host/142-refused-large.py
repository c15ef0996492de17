import asyncio

calls = [call for _ in range(8) for call in (
    nullable_list(ids=[1] * 19_000),
    zod_union(ids=[1] * 19_000),
    closed({f"unknown {number}": 1 for number in range(19_000)}),
)]
print(set(await asyncio.gather(*(verdict(call) for call in calls))))
print(await echo(value="after"))

nasty = "\x1b[2J\x1b]0;title\x07\x9b31m\x85\u202e\u2066\u2028\u2029\u200b\x7f\r\x00\U000e0041"
print(await echo(value={nasty: [nasty]}) == {nasty: [nasty]})
for tool in (closed, map_of_lists, zod_closed, zod_record, zod3_closed):
    print(await verdict(tool({nasty: nasty})))
print(await verdict(choices(choices=[nasty])))
print(await verdict(fail_with(message=nasty * 100)))
print(await verdict(asked(value=nasty)) == nasty, await verdict(denied(value=nasty)))
print(await echo(value="after"))

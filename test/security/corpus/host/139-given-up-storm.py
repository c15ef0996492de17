send_call("a", "never_answer", {})
body = json.dumps({"execution_id": execution, "call_id": "a"})
frame = f"__PTC_CALL_GIVEN_UP__{body}__PTC_END_CALL_GIVEN_UP__\n".encode()
for _ in range(100):
    calls._channel.send(frame * 1_000)
print(await ask_raw("echo", '{"value":3}'))
print(await echo(value="after"))

print("so far", flush=True)
await never_answer()

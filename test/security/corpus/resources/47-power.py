print("so far", flush=True)
9 ** 9 ** 9

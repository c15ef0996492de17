error = ExceptionGroup("g" * 1_000, [ValueError("m" * 1_000) for _ in range(5_000)])
for number in range(200):
    try:
        raise RuntimeError("r" * 1_000) from error
    except RuntimeError as next_error:
        error = next_error
raise error

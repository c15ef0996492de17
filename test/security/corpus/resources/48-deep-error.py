def fail(depth):
    try:
        if depth:
            fail(depth - 1)
        raise ValueError("end")
    except ValueError as error:
        raise KeyError(depth) from error


fail(300)

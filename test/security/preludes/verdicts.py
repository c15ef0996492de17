async def verdict(call):
    """What the host answers to a call: the result, or the type of the error, whose message must be short."""
    try:
        return await call
    except ToolError as error:
        return error.type if len(error.message) < 10_200 else f"{error.type} of {len(error.message)} characters"

"""How tracebacks that programs print show functions of the runner."""


def show_as(function, filename, name):
    """Makes a function have this name, and its code this file name."""
    # From Python 3.11 on, tracebacks can show the qualified name of the code.
    names = {"co_name": name, "co_qualname": name} if hasattr(function.__code__, "co_qualname") else {"co_name": name}
    function.__code__ = function.__code__.replace(co_filename=filename, co_firstlineno=1, **names)
    function.__name__ = function.__qualname__ = name

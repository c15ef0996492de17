"""JSON by the interpreter's own scanner and encoder.

The package `json` puts the same two to work, and loads regular expressions first, which take longer
than all that a runner needs to start.
"""

import _json


class _Settings:
    """What the scanner asks of its decoder. NaN and infinities are not JSON, but Python reads them."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


_scan = _json.make_scanner(_Settings)


def loads(text):
    """The value that `text` stands for, which nothing may surround."""
    try:
        value, end = _scan(text, 0)
    except StopIteration as stop:
        raise ValueError(f"no JSON value at character {stop.value}") from None
    if end != len(text):
        raise ValueError(f"something follows the JSON value at character {end}")
    return value


def dumps(value, default):
    """`value` in JSON, in ASCII. `default` gives what stands for a value that JSON has not, or raises TypeError."""
    encode = _json.make_encoder({}, default, _json.encode_basestring_ascii, None, ": ", ", ", False, False, False)
    return "".join(encode(value, 0))

"""JSON by the scanner and the encoder of the interpreter.

The package `json` uses the same functions, but first loads regular expressions, which takes longer than everything
else that a runner needs to start.
"""

import _json


class _Settings:
    """The settings that the scanner reads. NaN and infinities are not JSON, but Python accepts them."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


_scan = _json.make_scanner(_Settings)


def loads(text):
    """Returns the value of a JSON text. Nothing may precede or follow the value."""
    try:
        value, end = _scan(text, 0)
    except StopIteration as stop:
        raise ValueError(f"no JSON value at character {stop.value}") from None
    if end != len(text):
        raise ValueError(f"something follows the JSON value at character {end}")
    return value


def dumps(value, default):
    """Returns `value` as JSON in ASCII. `default` returns a replacement for a value that JSON lacks, or raises
    TypeError.
    """
    encode = _json.make_encoder({}, default, _json.encode_basestring_ascii, None, ": ", ", ", False, False, False)
    return "".join(encode(value, 0))

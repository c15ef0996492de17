"""The value that a program hands back, by `submit` or as its last expression, as JSON that the host accepts."""

from ...shared.frames import VALUE, encode

# The largest number up to which JavaScript has all whole numbers. The host refuses a larger one if it would change.
_MAX_NUMBER = (1 << 53) - 1
# The host accepts a frame of 64 levels (`frame-shape.ts`), and the frame itself is one.
_MAX_DEPTH = 63


class Unfit(Exception):
    """A value that cannot be handed back. `reason` says why and what to do; `path` leads to the part, from the inside
    out.
    """

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason
        self.path = []

    def __str__(self):
        return f"value{''.join(reversed(self.path))} {self.reason}"


class _TooMuch(Unfit):
    """The whole value is too large, so no part is named."""

    def __str__(self):
        return f"value {self.reason}"


def encode_value(execution_id, value, bounds, plain):
    """Returns the frame that hands `value` back. `plain` returns the JSON form of a value that JSON lacks, or raises
    TypeError. Raises `Unfit` for a value that the host would refuse.
    """
    frame = encode(VALUE, {"execution_id": execution_id, "value": _Copy(bounds, plain).visit(value, 1)})
    if len(frame) > bounds.max_bytes:
        raise _too_long(bounds)
    return frame


class _Copy:
    """Copies a value as plain JSON types. A value that is too large is found before memory is spent on its text."""

    def __init__(self, bounds, plain):
        self._bounds = bounds
        self._plain = plain
        self._values = 0
        self._characters = 0

    def visit(self, value, depth):
        self._values += 1
        if self._values > self._bounds.max_values:
            raise _TooMuch(f"has more than {self._bounds.max_values:,} values; hand back less, or one JSON text")
        if value is None or value is True or value is False:
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int):
            return _whole_number(value)
        if isinstance(value, float):
            return _number(value)
        if depth > _MAX_DEPTH:
            raise _TooMuch(f"is nested more than {_MAX_DEPTH} levels deep, or contains itself; flatten it")
        if isinstance(value, dict):
            return {self._key(key): self._member(member, f"[{_shown(key)}]", depth) for key, member in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._member(member, f"[{index}]", depth) for index, member in enumerate(value)]
        try:
            replacement = self._plain(value)
        except TypeError as error:
            raise Unfit(f"cannot be JSON: {error}") from None
        return self.visit(replacement, depth + 1)

    def _member(self, member, step, depth):
        try:
            return self.visit(member, depth + 1)
        except Unfit as unfit:
            unfit.path.append(step)
            raise

    def _key(self, key):
        if key is None:
            return None
        if isinstance(key, (int, float)):
            return _whole_number(key) if isinstance(key, int) else _number(key)
        if not isinstance(key, str):
            raise Unfit(f"has a key that is a {type(key).__name__}; use text")
        if key == "__proto__":
            raise Unfit("has a key __proto__, which the host does not take; give it another name")
        return self._text(key)

    def _text(self, text):
        self._characters += len(text)
        if self._characters > self._bounds.max_bytes:
            raise _too_long(self._bounds)
        try:
            text.encode()
        except UnicodeEncodeError:
            raise Unfit("has text with half of a surrogate pair, which is not a character; replace it") from None
        return text


def _whole_number(value):
    if -_MAX_NUMBER <= value <= _MAX_NUMBER or _is_written_alike(value):
        return value
    raise Unfit("is a whole number too large to arrive exactly; hand it back as text")


def _is_written_alike(value):
    """Whether JavaScript writes the double of the whole number with the same digits (`frame-shape.ts`)."""
    try:
        digits = repr(float(value)).partition("e")[0].replace(".", "")
    except OverflowError:
        return False
    return str(int(value)).rstrip("0") == digits.rstrip("0")


def _number(value):
    if value - value == 0:
        return value
    raise Unfit(f"is {value}, which JSON does not have; leave it out, or hand back text")


def _too_long(bounds):
    return _TooMuch(f"takes more than {bounds.max_bytes:,} bytes as JSON; hand back less")


def _shown(key):
    text = repr(key)
    return text if len(text) <= 60 else f"{text[:60]}…"

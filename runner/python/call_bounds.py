"""What the host takes of a tool call. It ends the session of whoever sends more, so a program is told before."""

from . import lean_json

# The host's bounds: `frames.ts` and `frame-shape.ts` there.
_MAX_BYTES = 64_000_000
_MAX_DEPTH = 64
_MAX_VALUES = 100_000


def may_exceed(frame):
    """Whether a call's frame needs a closer look. Quick: brackets and commas of texts count too."""
    opened = frame.count(b"[") + frame.count(b"{")
    return opened > _MAX_DEPTH or opened + frame.count(b",") > _MAX_VALUES or len(frame) > _MAX_BYTES


def find_excess(frame, marker):
    """Says why the host would not take the frame; None where it would."""
    if len(frame) > _MAX_BYTES:
        return f"the arguments take {len(frame):,} bytes and may take {_MAX_BYTES:,}; {_ADVICE}"
    values = depth = 0
    level = [lean_json.loads(str(frame[len(marker[0]) : -len(marker[1]) - 1], "ascii"))]
    while level:
        depth += 1
        values += sum(max(1, len(container)) for container in level)
        if depth > _MAX_DEPTH:
            return f"the arguments are nested more than {_MAX_DEPTH - 1} levels deep; flatten them"
        if values > _MAX_VALUES:
            return f"the arguments have more than {_MAX_VALUES:,} values; {_ADVICE}, or send one JSON text"
        level = [member for container in level for member in _members(container) if isinstance(member, (list, dict))]
    return None


_ADVICE = "send less at a time"


def _members(container):
    return container.values() if isinstance(container, dict) else container

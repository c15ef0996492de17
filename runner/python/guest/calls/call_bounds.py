"""The limits of the host for a tool call. The host ends a session that exceeds them, so the runner raises an error
first.
"""

from ...shared import lean_json

# The same in every session; see `frame-shape.ts` on the host.
_MAX_DEPTH = 64

_ADVICE = "send less at a time"


class CallBounds:
    """Limits of the frame of a call or of a value. The host sends them before the first program."""

    def __init__(self):
        self.max_bytes = 0
        self.max_values = 0

    def configure(self, settings):
        self.max_bytes = settings["call_limit_bytes"]
        self.max_values = settings["call_limit_values"]

    def find_excess(self, frame, marker):
        """Returns why the host would refuse the frame; None if it would accept it."""
        if len(frame) > self.max_bytes:
            return f"the call takes {len(frame):,} bytes and may take {self.max_bytes:,}; {_ADVICE}"
        if self._may_be_too_complex(frame):
            return self._find_complexity(frame, marker)
        return None

    def _may_be_too_complex(self, frame):
        """A quick check whether a closer one is needed. It also counts brackets and commas inside texts."""
        opened = frame.count(b"[") + frame.count(b"{")
        return opened > _MAX_DEPTH or opened + frame.count(b",") > self.max_values

    def _find_complexity(self, frame, marker):
        values = depth = 0
        level = [lean_json.loads(str(frame[len(marker[0]) : -len(marker[1]) - 1], "ascii"))]
        while level:
            depth += 1
            values += sum(max(1, len(container)) for container in level)
            if depth > _MAX_DEPTH:
                return f"the arguments are nested more than {_MAX_DEPTH - 1} levels deep; flatten them"
            if values > self.max_values:
                return f"the arguments have more than {self.max_values:,} values; {_ADVICE}, or send one JSON text"
            level = [member for container in level for member in _members(container) if isinstance(member, (list, dict))]
        return None


def _members(container):
    return container.values() if isinstance(container, dict) else container

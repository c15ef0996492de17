"""Shows the parameters of tools to `inspect`, which loads slowly."""

import sys

from ...shared.parameters import parameters_of
from ..first_imports import on_first_import


class Signatures:
    """Sets `__signature__` of the tools' functions, as soon as the program or a library has imported `inspect`."""

    def __init__(self):
        self._inspect = None
        # By the tools' identifiers, so that tools that are configured again do not add up.
        self._early = {}
        on_first_import("inspect", self._set_early)

    def add(self, function, tool):
        """Gives the function of `tool` its signature, now or later."""
        if self._inspect is None:
            self._early[tool["identifier"]] = function, tool
        else:
            self._set(function, tool)

    def _set_early(self):
        self._inspect = sys.modules["inspect"]
        for function, tool in self._early.values():
            self._set(function, tool)
        self._early.clear()

    def _set(self, function, tool):
        parameters = [self._parameter(parameter) for parameter in parameters_of(tool)]
        function.__signature__ = self._inspect.Signature(parameters)

    def _parameter(self, parameter):
        kind = self._inspect.Parameter
        # The documented signature also writes `...` for an argument that can be left out.
        default = kind.empty if parameter["required"] else ...
        return kind(parameter["identifier"], kind.POSITIONAL_OR_KEYWORD, default=default)

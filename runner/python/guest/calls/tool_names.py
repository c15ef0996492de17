"""The names by which programs find tools."""

import builtins

from .tool_calls import make_function


class ToolNames:
    """Defines the functions of tools: as variables of the programs, or if a tool is in a name space, there. Its whole
    name is then among the builtins, because after each program all variables are looked at, and there may be thousands
    of tools.

    A tool that is removed keeps its function, because programs may refer to it. The host refuses its calls.
    """

    def __init__(self, variables, calls, signatures):
        self._variables = variables
        self._calls = calls
        self._signatures = signatures
        # Each with the functions that were removed from it.
        self._namespaces = {}

    def configure(self, tools):
        """Defines these tools, and removes the others from their name spaces."""
        for namespace, removed in self._namespaces.values():
            removed.update(vars(namespace))
            vars(namespace).clear()
        for tool in tools:
            function = make_function(self._calls, tool)
            self._signatures.add(function, tool)
            path = tool.get("path")
            if path is None:
                self._variables[tool["identifier"]] = function
            else:
                setattr(builtins, tool["identifier"], function)
                name, _, attribute = path.partition(".")
                vars(self._namespace(name))[attribute] = function

    def _namespace(self, name):
        if name not in self._namespaces:
            removed = {}
            self._namespaces[name] = _make_namespace(name, removed), removed
        namespace, _ = self._namespaces[name]
        self._variables[name] = namespace
        return namespace


def _make_namespace(name, removed):
    """Returns an object whose attributes are tools. It has no other attributes, which could hide one of them."""

    class ToolNamespace:
        def __getattr__(self, attribute):
            try:
                return removed[attribute]
            except KeyError:
                message = f"there is no tool {name}.{attribute}; dir({name}) lists the tools of {name}"
                raise AttributeError(message) from None

        def __dir__(self):
            return list(vars(self))

        def __repr__(self):
            return f"<tools of {name}>"

    ToolNamespace.__module__ = "builtins"
    ToolNamespace.__qualname__ = "ToolNamespace"
    return ToolNamespace()

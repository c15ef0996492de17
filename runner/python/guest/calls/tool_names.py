"""The names by which programs find tools."""

import builtins
from types import CodeType

from .tool_calls import make_function

# Programs that call these can find a tool by a name that is not in their code.
_RUN_TEXT = frozenset(("eval", "exec", "compile"))


class ToolNames:
    """Defines the functions of tools: as variables of the programs, or if a tool is in a name space, there.

    A source can have thousands of tools, so functions in a name space are made when they are first used. Their whole
    names are defined when a program contains them, among the builtins, because all variables are looked at after each
    program.

    A tool that is removed keeps its function if a program may refer to it. The host refuses its calls.
    """

    def __init__(self, variables, calls, signatures):
        self._variables = variables
        self._calls = calls
        self._signatures = signatures
        # Each with its tools, and the functions that were removed from it.
        self._namespaces = {}
        # The namespace and the attribute of each whole name.
        self._whole_names = {}
        # All names in the programs of the session.
        self._used = set()

    def configure(self, tools):
        """Defines these tools, and removes the others from their name spaces."""
        for namespace, own, removed in self._namespaces.values():
            removed.update(vars(namespace))
            vars(namespace).clear()
            own.clear()
        self._whole_names.clear()
        for tool in tools:
            path = tool.get("path")
            if path is None:
                self._variables[tool["identifier"]] = self._make(tool)
            else:
                name, _, attribute = path.partition(".")
                namespace, own = self._namespace(name)
                own[attribute] = tool
                identifier = tool.setdefault("identifier", path.replace(".", "_"))
                self._whole_names[identifier] = namespace, attribute
        self._define(self._used)

    def use(self, parts):
        """Defines the whole names that the code of a program contains."""
        names = set()
        codes = list(parts)
        while codes:
            code = codes.pop()
            names.update(code.co_names)
            codes += (constant for constant in code.co_consts if type(constant) is CodeType)
        if not names.isdisjoint(_RUN_TEXT):
            names.update(self._whole_names)
        self._used |= names
        self._define(names)

    def _define(self, names):
        for name in names & self._whole_names.keys():
            setattr(builtins, name, getattr(*self._whole_names[name]))

    def _make(self, tool):
        function = make_function(self._calls, tool)
        self._signatures.add(function, tool)
        return function

    def _namespace(self, name):
        if name not in self._namespaces:
            own, removed = {}, {}
            self._namespaces[name] = self._make_namespace(name, own, removed), own, removed
        namespace, own, _ = self._namespaces[name]
        self._variables[name] = namespace
        return namespace, own

    def _make_namespace(self, name, own, removed):
        """Returns an object whose attributes are tools. It has no other attributes, which could hide one of them."""
        names = self

        class ToolNamespace:
            def __getattr__(self, attribute):
                if attribute in own:
                    function = vars(self)[attribute] = names._make(own[attribute])
                    return function
                try:
                    return removed[attribute]
                except KeyError:
                    message = f"there is no tool {name}.{attribute}; dir({name}) lists the tools of {name}"
                    raise AttributeError(message) from None

            def __dir__(self):
                return list(own)

            def __repr__(self):
                return f"<tools of {name}>"

        ToolNamespace.__module__ = "builtins"
        ToolNamespace.__qualname__ = "ToolNamespace"
        return ToolNamespace()

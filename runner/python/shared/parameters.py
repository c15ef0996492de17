"""The parameters of tools, which the host describes as text. A guest reads those of a tool when it needs them, because
there may be thousands of tools.
"""


def parameters_of(tool):
    """Returns the parameters of a tool, in the order of its documented signature."""
    parameters = tool["parameters"]
    if isinstance(parameters, str):
        parameters = tool["parameters"] = [_read(text) for text in parameters.split()]
    return parameters


def _read(text):
    """Returns one parameter. `messages.ts` on the host has the form of the text."""
    names, _, types = text[1:].partition(":")
    accepts_object = names.startswith("{")
    name, _, identifier = names[accepts_object:].partition("=")
    name = _unescape(name)
    return {
        "name": name,
        "identifier": _unescape(identifier) or name,
        "accepts_object": accepts_object,
        "required": text[0] == "!",
        "types": types.split(","),
    }


def _unescape(text):
    first, *others = text.split("%")
    escapes = (other.partition(";") for other in others)
    return first + "".join(chr(int(code, 16)) + rest for code, _, rest in escapes)

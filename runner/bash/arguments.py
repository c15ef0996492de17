"""Parses the arguments of a tool's command (flags, a JSON object, or such an object on standard input) and of
`submit`.
"""

from ..shared import lean_json
from ..shared.parameters import parameters_of


_SUBMIT_USAGE = 'write submit \'{"name": "value"}\', or write the JSON to the standard input of submit'


class ArgumentsError(Exception):
    """The words after a command are not valid arguments. The message says why and what to write."""


def parse_arguments(tool, words, stdin):
    """Returns the arguments object of a call with these words. `stdin` is the input that `-` stands for."""
    if words == ["-"]:
        return _parse_object(tool, stdin, "standard input")
    if len(words) == 1 and not words[0].startswith("-"):
        return _parse_object(tool, words[0], "the argument")
    return _parse_flags(tool, words)


def parse_value(words, stdin):
    """Returns the JSON value for `submit`: its only word, or the input that `-` stands for."""
    text, place = (stdin, "standard input") if words == ["-"] else (words[0], "the argument")
    if len(words) > 1:
        raise ArgumentsError(f"submit takes one argument and got {len(words)}; {_SUBMIT_USAGE}")
    try:
        return _parse_json(text.strip())
    except (ValueError, RecursionError) as error:
        raise ArgumentsError(f"{place} is not JSON ({error}); {_SUBMIT_USAGE}") from None


def _parse_object(tool, text, place):
    try:
        value = _parse_json(text.strip())
    except (ValueError, RecursionError) as error:
        raise ArgumentsError(f"{place} is not JSON ({error}); {_usage(tool)}") from None
    if not isinstance(value, dict):
        raise ArgumentsError(f"{place} is not a JSON object; {_usage(tool)}")
    return value


def _parse_flags(tool, words):
    bound = {}
    words = list(reversed(words))
    while words:
        word = words.pop()
        if not word.startswith("--") or word == "--":
            raise ArgumentsError(f"{word!r} is not a flag; {_usage(tool)}")
        flag, separator, text = word[2:].partition("=")
        parameter = _find_parameter(tool, flag)
        types = parameter["types"]
        if not separator:
            if words and not words[-1].startswith("--"):
                text = words.pop()
            elif "boolean" in types:
                text = "true"
            else:
                raise ArgumentsError(f"--{flag} has no value; write --{flag} VALUE or --{flag}=VALUE")
        _bind(bound, parameter["name"], read_value(text, types), types)
    return bound


def _bind(bound, name, value, types):
    """A repeated flag adds an item to a list. A list can also be given as JSON."""
    if "array" in types and not isinstance(value, list):
        value = [value]
    if name not in bound:
        bound[name] = value
    elif "array" in types:
        bound[name] += value
    else:
        raise ArgumentsError(f"--{name} is given more than once")


def read_value(text, types):
    """Returns the value of a flag: its text if the parameter accepts text, else the JSON value of the text."""
    try:
        value = _parse_json(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(value, list) and "array" in types or isinstance(value, dict) and "object" in types:
        return value
    return text if "string" in types else value


def _parse_json(text):
    try:
        return lean_json.loads(text)
    except SystemError:
        # For an error, the scanner uses this module, and raises `SystemError` if it was never imported.
        import json.decoder  # noqa: F401

        return lean_json.loads(text)


def _find_parameter(tool, flag):
    # No identifier is the name of another parameter.
    for key, wanted in ("name", flag), ("identifier", flag.replace("-", "_")):
        for parameter in parameters_of(tool):
            if parameter[key] == wanted:
                return parameter
    # The host knows whether other parameters are allowed.
    return {"name": flag, "types": []}


def _usage(tool):
    return f"write {tool['identifier']} --flag VALUE … or {tool['identifier']} '{{\"name\": value}}'"

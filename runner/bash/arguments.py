"""The arguments of a tool's command: flags, a JSON object, or such an object on standard input; and those of `submit`."""

from . import lean_json


_SUBMIT_USAGE = "write submit '{\"name\": \"value\"}', or write the JSON to the standard input of submit"


class ArgumentsError(Exception):
    """The words after a command are no arguments; the message says why and what to write."""


def parse_arguments(tool, words, stdin):
    """The arguments object of a call by `tool`'s command with these words, and what `-` stands for."""
    if words == ["-"]:
        return _parse_object(tool, stdin, "standard input")
    if len(words) == 1 and not words[0].startswith("-"):
        return _parse_object(tool, words[0], "the argument")
    return _parse_flags(tool, words)


def parse_value(words, stdin):
    """The JSON value that `submit` is to hand back: its one word, or what `-` stands for."""
    text, place = (stdin, "standard input") if words == ["-"] else (words[0], "the argument")
    if len(words) > 1:
        raise ArgumentsError(f"submit takes one argument and got {len(words)}; {_SUBMIT_USAGE}")
    try:
        return _parse_json(text.strip())
    except (ValueError, RecursionError) as error:
        raise ArgumentsError(f"{place} is no JSON ({error}); {_SUBMIT_USAGE}") from None


def _parse_object(tool, text, place):
    try:
        value = _parse_json(text.strip())
    except (ValueError, RecursionError) as error:
        raise ArgumentsError(f"{place} is no JSON ({error}); {_usage(tool)}") from None
    if not isinstance(value, dict):
        raise ArgumentsError(f"{place} is no JSON object; {_usage(tool)}")
    return value


def _parse_flags(tool, words):
    bound = {}
    words = list(reversed(words))
    while words:
        word = words.pop()
        if not word.startswith("--") or word == "--":
            raise ArgumentsError(f"{word!r} stands where a flag should; {_usage(tool)}")
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
    """A flag that is given again adds to a list; so does each item of a list that is not given as JSON."""
    if "array" in types and not isinstance(value, list):
        value = [value]
    if name not in bound:
        bound[name] = value
    elif "array" in types:
        bound[name] += value
    else:
        raise ArgumentsError(f"--{name} is given more than once")


def read_value(text, types):
    """What a flag's text stands for: itself where the parameter takes text, else the JSON that it is."""
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
        # The scanner raises errors of this module, and fails so where that was never loaded.
        import json.decoder  # noqa: F401

        return lean_json.loads(text)


def _find_parameter(tool, flag):
    for parameter in tool["parameters"]:
        if flag.replace("-", "_") in (parameter["name"].replace("-", "_"), parameter["identifier"]):
            return parameter
    # The host knows whether there may be others.
    return {"name": flag, "types": []}


def _usage(tool):
    return f"write {tool['identifier']} --flag VALUE … or {tool['identifier']} '{{\"name\": value}}'"

"""Which line of a program calls a tool, for people who decide about the call. What bash tells is sometimes another line:
it looks at the next line before it notes that of a command, counts the lines of a substitution from where the command
ends, and those of a trap from 1. So a line is given only if bash can mean no other line.
"""

from .line_blocks import find_blocks

_SEPARATORS = str.maketrans(dict.fromkeys(";&|(){}<>`\"'$=!", " "))


class CallLines:
    """Finds the lines of one program. It could forge what is told here: a line only explains the call."""

    def __init__(self, code):
        self._lines = code.split("\n")
        self._words = [set(line.translate(_SEPARATORS).split()) for line in self._lines]
        self._blocks = find_blocks(self._lines)
        self._evaluates = any("eval" in words for words in self._words)

    def find(self, calls):
        """Returns the line, or None. `calls` are the functions that led to a tool, from the outermost, each with the line
        that called it; that is 0 in the text of a file.
        """
        found = None
        for name, told in calls:
            if told == 0:
                break
            found = name, told
            # In functions of earlier programs, other lines are meant.
            if not self._defines(name):
                break
        return None if found is None else self._choose(*found)

    def _choose(self, name, told):
        """Returns the line with a word that bash tells as `told`; None if there is none, or several."""
        possible = [
            number
            for number, words in enumerate(self._words, 1)
            if name in words and (number == told or self._evaluates or self._is_told_as(number, told))
        ]
        return possible[0] if len(possible) == 1 else None

    def _is_told_as(self, number, told):
        first, last, depth = self._blocks[number - 1]
        later = number - first if depth < 2 else depth * (last - first)
        if first < last and first <= told <= last + later:
            return True
        return any("trap" in words for words in self._words[first - 1 : last])

    def _defines(self, name):
        return any(name in words and _is_definition(line, name) for line, words in zip(self._lines, self._words))


def _is_definition(line, name):
    """Whether a line begins a function, such as `name() {` or `function name {`."""
    words = line.split()
    if "function" in words[:-1]:
        return words[words.index("function") + 1].partition("(")[0] == name
    before, parenthesis, _ = line.partition("(")
    return parenthesis != "" and before.split()[-1:] == [name]

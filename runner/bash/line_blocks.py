"""Which lines of a program in bash belong together, because a backslash, a quoted text, a substitution, an array or a
here-document continues on the next line. This is not a parser: it reads what people write, and may misread what they do
not.
"""

_AFTER_DELIMITERS = str.maketrans(dict.fromkeys(";&|()<>", " "))
# What a `(` begins that belongs to a word, by the character before it. The others begin a subshell or a function.
_BEFORE_WORDS = "$<>="
_SUBSTITUTION = "$("
_CONTINUED = "\\"


def find_blocks(lines):
    """Returns for each line the first and the last line of its block, from 1, and how many substitutions inside each
    other have several lines.
    """
    blocks = []
    first = 1
    depth = 0
    # What is open at the end of a line, and the delimiters of here-documents that begin after it.
    opened = []
    delimiters = []
    for number, line in enumerate(lines, 1):
        if not delimiters:
            _read(line, opened, delimiters)
        elif line.lstrip("\t") == delimiters[0]:
            del delimiters[0]
        depth = max(depth, opened.count(_SUBSTITUTION) + opened.count("`"))
        is_last = not delimiters and all(each == "(" for each in opened)
        if is_last or number == len(lines):
            blocks += [(first, number, depth)] * (number + 1 - first)
            first = number + 1
            depth = 0
        if opened[-1:] == [_CONTINUED]:
            opened.pop()
    return blocks


def _read(line, opened, delimiters):
    """Reads a line. What it leaves open is added to `opened`, and here-documents to `delimiters`."""
    at = 0
    while at < len(line):
        char = line[at]
        before = line[at - 1] if at else " "
        inside = opened[-1] if opened else ""
        at += 1
        if char == "\\" and inside != "'":
            if at == len(line):
                opened.append(_CONTINUED)
            at += 1
        elif inside in ("'", "$'"):
            if char == "'":
                opened.pop()
        elif char in '"`':
            if inside == char:
                opened.pop()
            else:
                opened.append(char)
        elif char == "(" and (inside != '"' or before == "$"):
            opened.append(_SUBSTITUTION if before in _BEFORE_WORDS else char)
        elif inside == '"':
            pass
        elif char == ")":
            if inside in ("(", _SUBSTITUTION):
                opened.pop()
        elif char == "'":
            opened.append("$'" if before == "$" else char)
        elif char == "#" and before in " \t;&|(":
            return
        elif line.startswith("<<<", at - 1):
            at += 2
        elif line.startswith("<<", at - 1):
            at += 1
            words = line[at:].lstrip("- \t").translate(_AFTER_DELIMITERS).split()
            delimiters += [word.strip("'\"\\") for word in words[:1]]

"""Says what is so in a sandbox, for errors of programs that expect an installer, a library or a network."""

import errno
import os
import re
import sys

_MOST_NAMES = 20
_LONGEST_LIST = 400
_MOST_ENTRIES = 5000
_MOST_CAUSES = 10
# The directory of a library's metadata: `numpy-2.2.4.dist-info`.
_METADATA = re.compile(r"(\w[\w.-]{0,60}?)-\d[^-]*(-py[\d.]+)?\.(dist|egg)-info")
_INSTALLER = re.compile(r"\b(pip3?|conda|mamba|micromamba|uv|poetry|npm|npx|yarn|pnpm|apt|apt-get)\b")
# They are named first.
_WELL_KNOWN = frozenset("lxml matplotlib numpy openpyxl pandas pillow polars pyyaml scikit-learn scipy sympy".split())
_INSTALLERS = ("pip", "setuptools", "wheel")
# Those that models use for requests, by the names under which they are imported.
_OF_NETWORK = frozenset("aiohttp boto3 bs4 httpx playwright requests selenium urllib3 websockets yfinance".split())
_NO_NETWORK = "there is no network here; only tools reach anything outside"
# By name, because `socket` may not be loaded.
_NO_ADDRESS = "gaierror"
_UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH)
# What `subprocess` says in the embedded sandbox.
_OF_PROCESSES = "emscripten does not support processes."
_NO_PROCESSES = "no other program can be started here, and nothing can be installed; use functions of Python"


def advice(error):
    """Returns what to add to the message of an error; '' if nothing is known."""
    try:
        return _advice(error)
    except Exception:
        # The program made the error, or changed what is used here.
        return ""


def _advice(error):
    if isinstance(error, ModuleNotFoundError):
        return _of_module(error.name)
    if type(error).__name__ == "CalledProcessError" and _installs(error.cmd):
        return nothing_installs()
    if isinstance(error, FileNotFoundError) and _installs(error.filename):
        return nothing_installs()
    if isinstance(error, OSError) and str(error).endswith(_OF_PROCESSES):
        return _NO_PROCESSES
    return _NO_NETWORK if any(_is_of_network(each) for each in causes(error)) else ""


def causes(error):
    """An error, those from which it comes, and those of groups among them."""
    found = []
    others = [error]
    while others and len(found) < _MOST_CAUSES:
        current = others.pop(0)
        if not isinstance(current, BaseException):
            continue
        found.append(current)
        others.append(current.__cause__ or current.__context__ or getattr(current, "reason", None))
        if type(current).__name__ == "ExceptionGroup":
            others.extend(current.exceptions[:_MOST_CAUSES])
    return found


def nothing_installs():
    """Says that nothing can be installed, and what is."""
    return f"nothing can be installed here, since there is no network. {installed()}"


def installed():
    """Names the libraries that programs can import, as a sentence."""
    names = sorted(_installed_names(), key=lambda name: (name.lower() not in _WELL_KNOWN, name.lower()))
    shown = []
    length = 0
    for name in names[:_MOST_NAMES]:
        length += len(name) + 2
        if length > _LONGEST_LIST:
            break
        shown.append(name)
    if not shown:
        return "Only the standard library is there."
    more = len(names) - len(shown)
    return "Libraries that are there: %s%s." % (", ".join(shown), f" and {more} more" if more else "")


def _of_module(name):
    top = str(name or "").partition(".")[0]
    if top == "" or top in sys.modules and sys.modules[top] is not None:
        # A part of a library that is there.
        return ""
    network = f" Also, {_NO_NETWORK}." if top in _OF_NETWORK else ""
    return f"it is not installed, and nothing can be installed here. {installed()}{network}"


def _installed_names():
    names = set()
    count = 0
    for directory in sys.path:
        try:
            entries = os.listdir(directory)
        except (OSError, TypeError):
            continue
        count += len(entries)
        if count > _MOST_ENTRIES:
            break
        names.update(match[1] for match in map(_METADATA.fullmatch, entries) if match)
    return names.difference(_INSTALLERS)


def _installs(command):
    """Whether a command, a list or a text, begins with that of an installer, or of Python to run one."""
    words = command.split() if isinstance(command, str) else [str(word) for word in command or ()]
    return any(_INSTALLER.fullmatch(os.path.basename(word)) for word in words[:3])


def _is_of_network(error):
    if not isinstance(error, OSError):
        return False
    return type(error).__name__ == _NO_ADDRESS or error.errno in _UNREACHABLE

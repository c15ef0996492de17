"""The libraries of wheels: unpacked and compiled when the snapshot is made, and written to files when a sandbox starts.

A snapshot has the memory of Python, but no files.
"""

import importlib
import os
import sysconfig

_files = {}


def keep(directory):
    """Unpacks the wheels of a directory, and keeps their files in memory."""
    # Needed only for this.
    import compileall
    import re
    import zipfile

    # What is in these directories belongs to the top, as the format of wheels says.
    scheme = re.compile(r"[^/]+\.data/(?:purelib|platlib)/(?=.)")
    target = sysconfig.get_paths()["purelib"]
    for name in sorted(os.listdir(directory)):
        with zipfile.ZipFile(os.path.join(directory, name)) as wheel:
            for member in wheel.infolist():
                if found := scheme.match(member.filename):
                    member.filename = member.filename[found.end() :]
                wheel.extract(member, target)
    # Nothing is compiled again at the start of each sandbox, whatever the times of the files are.
    mode = compileall.py_compile.PycInvalidationMode.UNCHECKED_HASH
    compileall.compile_dir(target, quiet=2, invalidation_mode=mode)
    for parent, _, names in os.walk(target):
        for name in names:
            path = os.path.join(parent, name)
            with open(path, "rb") as file:
                _files[path] = file.read()


def write():
    """Writes the files, and frees their memory."""
    for path, content in _files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
    if _files:
        _files.clear()
        importlib.invalidate_caches()

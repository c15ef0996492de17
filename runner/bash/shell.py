"""The bash that runs the programs. If a program ends it, it is started again with the state that it left."""

import os

import _signal as signal

from .calls import REPORTED, SUBMIT
from .loop import READ_SIZE, Writer

# The script of a shell, with one line for each program. It is not a loop of bash, because a `break` of a program
# would end that. The lines of the program are counted from 1, because the line before ends with an assignment to
# LINENO: bash undoes such an assignment after a command, but not in a redirection. The script ends after the last
# line, so a shell that no longer executes commands (`set -n`) ends too. Functions named `builtin` or `command` are
# removed after each program, because only these two names reach everything else, whatever other functions exist.
_FIRST_LINE = r'\builtin . %s; { \builtin eval "$__ptc_forget"; } >/dev/null 2>&1; '
_TURN = (
    r'\builtin eval "$__ptc_program"; '
    r"{ __ptc_status=$?; \unset -f builtin command __ptc_none || \exit; "
    r'\builtin eval "$__ptc_end"; } '
    r'>/dev/null 2>&1; \builtin eval "$__ptc_action"; \builtin eval "$__ptc_after"; '
)
_TELL = r'\builtin eval "$__ptc_tell"; '
_RENEW = r'\command exec </dev/null >"$__ptc_descriptors/5" 2>"$__ptc_descriptors/6"; '
_WAIT = r'{ \builtin eval "$__ptc_wait"; } <"${__ptc_programs[LINENO=0]}"' "\n"
# The last line of a complete state, with the id of the shell that wrote it.
_COMPLETE = b"# complete %d\n"
# Signals that Python or this guest ignores; programs must get their defaults.
_DEFAULT_SIGNALS = [signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ]
# Without arguments, they read their standard input, as `submit` does with `-`.
_OWN_FUNCTIONS = f"""
{SUBMIT}() {{ __ptc_call {SUBMIT} "${{@:--}}"; }}
{REPORTED}() {{
  if (($#)); then builtin printf '%s\\n' "$*"; else command cat; fi
  __ptc_call {REPORTED}
}}
"""
_COMMANDS_DIRECTORY = ".ptc-tools"
# Programs find the name of their script in $0, in BASH_SOURCE and in messages.
_SCRIPT_DIRECTORY = ".ptc-script"
_SCRIPT_NAME = "bash"
# This file has the name of a tool, and calls the function with that name, which every bash has.
_COMMAND = '#!%s\n"${0##*/}" "$@"\n'


class Shell:
    """A shell, and the files that control it. The shell opens all of them by paths, so that no program can close
    them.
    """

    def __init__(self, loop, scripts, on_line):
        self._loop = loop
        self._scripts = scripts
        self._on_line = on_line
        self._command = _find_command("bash")
        names = ("script", "setup", "state", "tools", "traps")
        self._script, self._setup, self._state, self._tools, traps = (_nameless_file(name) for name in names)
        _replace(traps, scripts["traps"])
        self._tool_command = scripts.get("command")
        self._control, control_write = os.pipe()
        self._programs = self._program_writer = None
        self._paths = {
            "control": _path(control_write),
            "state": _path(self._state),
            "tools": _path(self._tools),
            "traps": _path(traps),
            "descriptors": f"/proc/{os.getpid()}/fd",
            "home": _quote(os.getcwd()),
        }
        self._rest = b""
        os.set_blocking(self._control, False)
        loop.watch(self._control, self._on_control)
        self._directory = os.path.join(os.getcwd(), _COMMANDS_DIRECTORY)
        self._environment = {**os.environ, "BASH_ENV": self._paths["tools"]}
        self._environment["PATH"] = f"{os.environ.get('PATH', os.defpath)}:{self._directory}"
        self.pid = None
        # Whether a program runs in it, which an interrupt ends.
        self.is_running = False

    def start(self):
        """Starts it with the state that the last one left. Raises `BlockingIOError` if there are too many processes."""
        self.pid = None
        if self._programs is not None:
            # The old pipe may contain a part of a program.
            os.close(self._programs)
            self._program_writer.close()
        self._programs, write_fd = os.pipe()
        self._program_writer = Writer(self._loop, write_fd, lambda: None)
        variables = {**self._paths, "programs": _path(self._programs)}
        values = "".join(f"\\builtin readonly __ptc_{name}={value}\n" for name, value in variables.items())
        _replace(self._setup, values + self._scripts["shell"])
        _replace(self._script, _FIRST_LINE % _path(self._setup) + _RENEW + _WAIT)
        self.is_running = False
        self.pid = self._spawn()
        # The next one gets its environment from the state.
        self._environment = {"BASH_ENV": self._paths["tools"]}

    def _spawn(self):
        """Bash uses the name that it gets, without a slash, as the name of its script, and opens it in the working
        directory.
        """
        home = os.getcwd()
        command = ["bash", "--norc", "--noprofile", _SCRIPT_NAME]
        try:
            _link_all(_SCRIPT_DIRECTORY, [_SCRIPT_NAME], _path(self._script))
            os.chdir(_SCRIPT_DIRECTORY)
        except OSError:
            # No file can be created.
            command[-1] = _path(self._script)
        try:
            return os.posix_spawn(self._command, command, self._environment, setsigdef=_DEFAULT_SIGNALS)
        finally:
            os.chdir(home)

    def set_tools(self, names):
        """Creates a command for each tool, and those of the runner."""
        functions = "".join(f'{name}() {{ __ptc_call {name} "$@"; }}\n' for name in names) + _OWN_FUNCTIONS
        # A new file with the same path: a bash that is starting may be reading the old one.
        file = _nameless_file("tools")
        _replace(file, self._scripts["tools"].replace("@control@", self._paths["control"]) + functions)
        os.dup2(file, self._tools, inheritable=False)
        os.close(file)
        try:
            _link_all(self._directory, [*names, SUBMIT, REPORTED], self._find_tool_command())
        except OSError:
            # No file can be created, or none that can be executed: the commands then exist only in bash.
            pass
        self._program_writer.write(b"tools\n")

    def _find_tool_command(self):
        """Returns the path of the file that tools' names link to, for programs that start other programs by path."""
        if self._tool_command is None:
            file = os.memfd_create("command")
            _replace(file, _COMMAND % self._command)
            self._tool_command = _path(file)
        return self._tool_command

    def run(self, code):
        """Makes the shell run a program."""
        if self.pid is None:
            self.start()
        os.lseek(self._script, 0, os.SEEK_END)
        os.write(self._script, (_TURN + _RENEW + _TELL + _WAIT).encode())
        if _may_stop_executing(code):
            # A shell that does not execute commands cannot save its state at its end.
            self._program_writer.write(b"save\n")
        # Bash would remove NUL, and print a warning.
        program = code.encode("utf-8", "replace").replace(b"\0", b"")
        if program.endswith(b"\\"):
            # In a script, a backslash at the end of the last line is ignored; `eval` would keep it.
            program += b"\n"
        self._program_writer.write(b"%d\n%b" % (len(program), program))

    def has_left_state(self):
        """Whether the next shell can continue with the state of this one, instead of starting without any."""
        end = _COMPLETE % self.pid
        start = os.fstat(self._state).st_size - len(end)
        return start >= 0 and os.pread(self._state, len(end), start) == end

    def find_syntax_error(self, code):
        """Returns bash's error for the syntax of a program, which this does not run; empty if there is none."""
        # Slow to load, and needed only here.
        import subprocess

        command = [self._command, "--norc", "--noprofile", "-O", "extglob", "-n"]
        try:
            check = subprocess.run(command, input=code.encode("utf-8", "replace"), stderr=subprocess.PIPE, env={})
        except OSError:
            # The program has as many processes as it may have, or as much memory.
            return ""
        return check.stderr.decode("utf-8", "replace").strip() if check.returncode else ""

    def read_messages(self):
        """Reads all messages of the shell, for example after its end."""
        try:
            while True:
                self._on_control()
        except BlockingIOError:
            pass

    def _on_control(self):
        lines = (self._rest + os.read(self._control, READ_SIZE)).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            self._on_line(line.decode("ascii", "replace").split(" "))


def _nameless_file(name):
    """Creates a file that no program can delete: in memory, if the sandbox allows that."""
    try:
        return os.memfd_create(name)
    except OSError:
        return os.open(os.getcwd(), os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)


def _may_stop_executing(code):
    """Whether the program may contain a command such as `set -n`."""
    words = code.replace(";", " ").split()
    options = (after for word, after in zip(words, words[1:]) if word == "set" and after[0] == "-")
    return "noexec" in code or any("n" in option for option in options)


def _quote(text):
    return "'" + text.replace("'", r"'\''") + "'"


def _path(fd):
    return f"/proc/{os.getpid()}/fd/{fd}"


def _replace(fd, text):
    os.ftruncate(fd, 0)
    os.pwrite(fd, text.encode(), 0)


def _link_all(directory, names, target):
    """Makes the directory contain links with these names to `target`, and nothing else."""
    os.makedirs(directory, exist_ok=True)
    for name in os.listdir(directory):
        os.unlink(os.path.join(directory, name))
    for name in names:
        os.symlink(target, os.path.join(directory, name))


def _find_command(name):
    for directory in os.get_exec_path():
        path = os.path.join(directory, name)
        if os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(f"there is no {name} in the PATH")

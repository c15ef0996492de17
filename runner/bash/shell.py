"""The bash that runs the programs, started again whenever a program ended it, with the state that it left."""

import os

import _signal as signal

from .calls import SUBMIT
from .loop import READ_SIZE, Writer

# The script of a shell, in which each program has one line. A loop of bash would be ended by a `break` of the program.
# The program's own lines are counted from 1, because the line before ends with an assignment to LINENO: bash undoes such
# an assignment after a command, but not one in a redirection. Beyond the last line is the end of the shell, so a shell
# that a program has made run nothing more ends. Functions that a program calls `builtin` or `command` end with it, for
# only by these names can all else be called whatever functions there are.
_FIRST_LINE = r'\builtin . %s; { \builtin eval "$__ptc_forget"; } >/dev/null 2>&1; '
_TURN = (
    r'\builtin eval "$__ptc_program"; '
    r'{ __ptc_status=$?; \unset -f builtin command __ptc_none || \exit; '
    r'\builtin eval "$__ptc_end"; } '
    r'>/dev/null 2>&1; \builtin eval "$__ptc_action"; \builtin eval "$__ptc_after"; '
)
_TELL = r'\builtin eval "$__ptc_tell"; '
_RENEW = r'\command exec </dev/null >"$__ptc_descriptors/5" 2>"$__ptc_descriptors/6"; '
_WAIT = r'{ \builtin eval "$__ptc_wait"; } <"${__ptc_programs[LINENO=0]}"' "\n"
# The last line of a state that the shell of this id wrote to its end.
_COMPLETE = b"# complete %d\n"
# What Python ignores or this guest does, and programs must not.
_DEFAULT_SIGNALS = [signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ]
# Without arguments it reads its standard input, as with `-`.
_SUBMIT = f'{SUBMIT}() {{ __ptc_call {SUBMIT} "${{@:--}}"; }}\n'
_COMMANDS_DIRECTORY = ".ptc-tools"
# Programs find in $0, BASH_SOURCE and messages what their script is called.
_SCRIPT_DIRECTORY = ".ptc-script"
_SCRIPT_NAME = "bash"
# Started under a tool's name it runs the function of that name, which every bash has.
_COMMAND = '#!%s\n"${0##*/}" "$@"\n'


class Shell:
    """A shell and the files by which it is told what to do. All have paths, so that no program can close them."""

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
        # Whether a program is under way in it, which an interrupt ends.
        self.is_running = False

    def start(self):
        """Starts it with the state that the last one left. Raises `BlockingIOError` if there are too many processes."""
        self.pid = None
        if self._programs is not None:
            # The last one may have left something of a program in it.
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
        # The next one finds its environment in the state.
        self._environment = {"BASH_ENV": self._paths["tools"]}

    def _spawn(self):
        """Bash calls its script what it is told, without a slash: it looks for it in the working directory."""
        home = os.getcwd()
        command = ["bash", "--norc", "--noprofile", _SCRIPT_NAME]
        try:
            _link_all(_SCRIPT_DIRECTORY, [_SCRIPT_NAME], _path(self._script))
            os.chdir(_SCRIPT_DIRECTORY)
        except OSError:
            # No place for files.
            command[-1] = _path(self._script)
        try:
            return os.posix_spawn(self._command, command, self._environment, setsigdef=_DEFAULT_SIGNALS)
        finally:
            os.chdir(home)

    def set_tools(self, names):
        """Gives programs a command for each tool, and `submit`."""
        functions = "".join(f'{name}() {{ __ptc_call {name} "$@"; }}\n' for name in names) + _SUBMIT
        _replace(self._tools, self._scripts["tools"].replace("@control@", self._paths["control"]) + functions)
        try:
            _link_all(self._directory, [*names, SUBMIT], self._find_tool_command())
        except OSError:
            # No place for files, or for the program, which is to be where programs may be: commands in bash only.
            pass
        self._program_writer.write(b"tools\n")

    def _find_tool_command(self):
        """The program behind the tools' names for those who start programs by their paths."""
        if self._tool_command is None:
            file = os.memfd_create("command")
            _replace(file, _COMMAND % self._command)
            self._tool_command = _path(file)
        return self._tool_command

    def run(self, code):
        """Has it run a program."""
        if self.pid is None:
            self.start()
        os.lseek(self._script, 0, os.SEEK_END)
        os.write(self._script, (_TURN + _RENEW + _TELL + _WAIT).encode())
        if _may_stop_executing(code):
            # A shell that runs nothing more saves no state when it ends.
            self._program_writer.write(b"save\n")
        # Bash would leave them out, and say so.
        program = code.encode("utf-8", "replace").replace(b"\0", b"")
        if program.endswith(b"\\"):
            # In a script it is nothing at the end of the last line; for `eval` it is itself.
            program += b"\n"
        self._program_writer.write(b"%d\n%b" % (len(program), program))

    def has_left_state(self):
        """Whether the next one can go on where this one ended, and not only begin anew."""
        end = _COMPLETE % self.pid
        start = os.fstat(self._state).st_size - len(end)
        return start >= 0 and os.pread(self._state, len(end), start) == end

    def find_syntax_error(self, code):
        """What bash has against a program before it runs it; empty where that is nothing."""
        # Slow to load, and only needed here.
        import subprocess

        command = [self._command, "--norc", "--noprofile", "-O", "extglob", "-n"]
        check = subprocess.run(command, input=code.encode("utf-8", "replace"), stderr=subprocess.PIPE, env={})
        return check.stderr.decode("utf-8", "replace").strip() if check.returncode else ""

    def hear(self):
        """Takes all that it has said so far, as after its end."""
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
    """A file that no program can delete: in memory, where a sandbox allows that."""
    try:
        return os.memfd_create(name)
    except OSError:
        return os.open(os.getcwd(), os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)


def _may_stop_executing(code):
    """Whether it has such as `set -n`."""
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
    """Makes the directory hold links of these names, all to `target`, and no others."""
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

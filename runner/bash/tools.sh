# The tools as commands. Every bash has this file, also those that a program starts: `BASH_ENV` names it.

# Calls a tool, by its name and the arguments as they stand on the command line. A shell of its own: what this
# needs, and `$!`, are no concern of the program's.
__ptc_call() (
  { set +efuvx; } 2>/dev/null
  LC_ALL=C IFS=' '
  # A pipe that lives as long as somebody waits for the reply.
  exec {reply}<> <(:)
  exec {request}< <(
    builtin printf '%s\0' "$@"
    [[ $# == 2 && $2 == - ]] && command cat
  )
  builtin printf 'call %s %s %s\n' "$BASHPID" "$request" "$reply" >"@control@"
  builtin read -r -u "$reply" status size
  IFS= builtin read -r -d '' -N "$size" -u "$reply" text
  [[ $status == 0 ]] || exec >&2
  builtin printf '%s\n' "$text"
  builtin exit "$status"
)

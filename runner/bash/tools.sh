# The tools as commands. Every bash has this file, also those that a program starts: `BASH_ENV` names it.

# Calls a tool, by its name and the arguments as they stand on the command line. A shell of its own: what this
# needs, and `$!`, are no concern of the program's. Its variables are none of the program's either, which may be
# constant, or numbers; so may IFS be.
__ptc_call() (
  { set +efkuvx; } 2>/dev/null
  LC_ALL=C
  # A pipe that lives as long as somebody waits for the reply.
  exec {__ptc_reply}<> <(:)
  exec {__ptc_request}< <(
    builtin printf '%s\0' "$@"
    [[ $# == 2 && $2 == - ]] && command cat
  )
  builtin printf 'call %s %s %s\n' "$BASHPID" "$__ptc_request" "$__ptc_reply" >"@control@"
  builtin read -r -d ' ' -u "$__ptc_reply" __ptc_status
  builtin read -r -u "$__ptc_reply" __ptc_size
  builtin read -r -d '' -N "$__ptc_size" -u "$__ptc_reply" __ptc_text
  [[ $__ptc_status == 0 ]] || exec >&2
  builtin printf '%s\n' "$__ptc_text"
  builtin exit "$__ptc_status"
)

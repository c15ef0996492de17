# The tools as commands. Every bash has this file, also those that a program starts: `BASH_ENV` names it.

# Calls a tool, by its name and the arguments as they stand on the command line. A shell of its own: what this
# needs, and `$!`, are no concern of the program's. Its variables are none of the program's either, which may be
# constant, or numbers; so may IFS be.
__ptc_call() (
  { set +efkuvx; } 2>/dev/null
  # By the byte.
  LC_ALL=C __ptc_sizes='' __ptc_words=''
  for __ptc_word; do __ptc_sizes+="${#__ptc_word} " __ptc_words+=$__ptc_word; done
  __ptc_words=$__ptc_sizes$'\n'$__ptc_words
  # A process for each end of each pipe is most of what a call costs, and many calls at once would soon be more
  # processes than a sandbox may have. Bash from 5.1 on makes a short here-string a pipe that needs none.
  if ((${#__ptc_words} < 4096)) && [[ ${2-} != - ]] &&
    exec {__ptc_request}<<<"$__ptc_words" {__ptc_reply}<<<'' && [[ -p /proc/self/fd/$__ptc_reply ]]; then
    # A pipe that lives as long as somebody waits for the reply; its first line is the here-string's.
    exec {__ptc_reply}<>"/proc/self/fd/$__ptc_reply"
    builtin read -r -u "$__ptc_reply"
  else
    exec {__ptc_reply}<> <(:)
    exec {__ptc_request}< <(
      builtin printf '%s' "$__ptc_words"
      [[ $# == 2 && $2 == - ]] && command cat
    )
  fi
  builtin printf 'call %s %s %s\n' "$BASHPID" "$__ptc_request" "$__ptc_reply" >"@control@"
  builtin read -r -d ' ' -u "$__ptc_reply" __ptc_status
  builtin read -r -u "$__ptc_reply" __ptc_size
  builtin read -r -d '' -N "$__ptc_size" -u "$__ptc_reply" __ptc_text
  [[ $__ptc_status == 0 ]] || exec >&2
  [[ -z $__ptc_text ]] || builtin printf '%s\n' "$__ptc_text"
  builtin exit "$__ptc_status"
)

# The tools as commands. Every bash sources this file, including those that a program starts,
# because `BASH_ENV` names it.

# Calls a tool, by its name and the arguments on the command line. It runs in a subshell, so that it
# does not change `$!` or variables of the program. It does not use the program's variables or IFS
# either, because they may be constant or numbers.
__ptc_call() (
  { set +efkuvx; } 2>/dev/null
  # If a program has made it constant, another bash makes the call.
  [[ ${LC_ALL@a} != *r* ]] || exec "$BASH" -c '__ptc_call "$@"' bash "$@"
  # Counts bytes.
  LC_ALL=C __ptc_sizes='' __ptc_words=''
  for __ptc_word; do __ptc_sizes+="${#__ptc_word} " __ptc_words+=$__ptc_word; done
  # The functions that led here, each with the line that called it: 0 if that is not in the program's
  # text. A bash that the program started has no such lines, nor this variable.
  __ptc_calls=''
  if [[ -n ${__ptc_control-} ]] && ((${#FUNCNAME[@]} < 60)); then
    for ((__ptc_at = 1; __ptc_at + 1 < ${#FUNCNAME[@]}; __ptc_at++)); do
      __ptc_line=${BASH_LINENO[__ptc_at]-0}
      [[ ${BASH_SOURCE[__ptc_at + 1]-} == "$0" ]] || __ptc_line=0
      __ptc_calls+="${FUNCNAME[__ptc_at]} $__ptc_line "
    done
  fi
  __ptc_words=$__ptc_calls$'\n'$__ptc_sizes$'\n'$__ptc_words
  # A process for each end of each pipe is most of the cost of a call, and many calls at once would
  # exceed the sandbox's limit of processes. From 5.1 on, bash makes a short here-string a pipe that
  # needs no process.
  if ((${#__ptc_words} < 4096)) && [[ ${2-} != - ]] &&
    exec {__ptc_request}<<<"$__ptc_words" {__ptc_reply}<<<'' && [[ -p /proc/self/fd/$__ptc_reply ]]; then
    # Opened for reading and writing, the pipe stays open while the reply is awaited; its first line
    # is that of the here-string.
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
  [[ -z $__ptc_text ]] || builtin printf '%s\n' "$__ptc_text" || builtin exit 1
  builtin exit "$__ptc_status"
)

# `trap` for programs. It works like the builtin, but an EXIT trap runs at the end of the program,
# not of the shell.

trap() {
  { local -; \builtin set +x; } 2>/dev/null
  local __ptc_line=${BASH_LINENO[0]}
  if (($# == 0)) || [[ $1 == -p || $1 == -- && $# == 1 ]]; then
    __ptc_list_traps "${@:2}"
    return
  elif [[ $1 == -* && $1 != - && $1 != -- ]]; then
    __ptc_builtin_trap "$@"
    return
  fi
  [[ $1 != -- ]] || shift
  # Without a handler, the signals get their defaults again.
  [[ $1 != +([0-9]) && ($# != 1 || $1 == '' || $1 == -) ]] || set -- - "$@"
  local __ptc_handler=$1 __ptc_signal __ptc_others=()
  for __ptc_signal in "${@:2}"; do
    case ${__ptc_signal^^} in
      0 | EXIT | SIGEXIT)
        if [[ $BASHPID != "$$" ]]; then
          __ptc_others+=(EXIT)
        elif [[ $__ptc_handler == - ]]; then
          \builtin unset __ptc_at_exit
        else
          __ptc_at_exit=$__ptc_handler
        fi
        ;;
      DEBUG | SIGDEBUG | ERR | SIGERR | RETURN | SIGRETURN) __ptc_trap_commands "${__ptc_signal^^}" ;;
      INT | SIGINT | 2)
        if [[ $__ptc_handler == - && $BASHPID == "$$" ]]; then
          \builtin trap "$__ptc_on_interrupt" INT
        else
          __ptc_others+=(INT)
        fi
        ;;
      *) __ptc_others+=("$__ptc_signal") ;;
    esac
  done
  if (($# == 1 || ${#__ptc_others[@]})); then
    __ptc_builtin_trap -- "$__ptc_handler" "${__ptc_others[@]}"
  fi
}

# Sets a trap for commands, not for signals. Inside a function, bash does not show traps that were
# set outside, and at the end of a function it restores a trap that the function removed. So the
# handler is kept in a variable, and a trap that must be removed becomes one that removes itself
# when it first runs.
__ptc_trap_commands() {
  local __ptc_name=${1#SIG}
  case $__ptc_handler in
    -)
      \builtin unset "__ptc_trap_$__ptc_name"
      \builtin trap "$__ptc_unless_own\builtin trap - $__ptc_name$__ptc_end_unless" "$__ptc_name"
      ;;
    *)
      \builtin printf -v "__ptc_trap_$__ptc_name" %s "$__ptc_handler"
      \builtin trap -- "${__ptc_handler:+$__ptc_unless_own$__ptc_handler$__ptc_end_unless}" "$__ptc_name"
      ;;
  esac
}

# The builtin. Its error messages name the line of the program, not of this function.
__ptc_builtin_trap() {
  \builtin trap "$@" 2>/dev/null && return
  local __ptc_status=$? __ptc_complaint
  __ptc_complaint=$(\builtin trap "$@" 2>&1 >/dev/null)
  \builtin printf '%s: line %d: %s\n' "$0" "$__ptc_line" "${__ptc_complaint#*: line *: }" >&2
  return "$__ptc_status"
}

# Lists the traps for these signals, or all of them, as the program set them.
__ptc_list_traps() {
  local __ptc_signal __ptc_name __ptc_text
  # The numbers of Linux's signals.
  (($#)) || set -- EXIT {1..31} {34..64} DEBUG ERR RETURN
  __ptc_text=$(\builtin trap -p EXIT INT)
  for __ptc_signal; do
    __ptc_name=${__ptc_signal^^} __ptc_name=${__ptc_name#SIG}
    case $__ptc_name in
      DEBUG | ERR | RETURN) __ptc_show_trap "$__ptc_name" "__ptc_trap_$__ptc_name" ;;
      0 | EXIT)
        if [[ $__ptc_text == *__ptc_at_end* ]]; then
          __ptc_show_trap EXIT __ptc_at_exit
        else
          \builtin trap -p EXIT
        fi
        ;;
      2 | INT) [[ $__ptc_text == *__ptc_at_interrupt* ]] || \builtin trap -p INT ;;
      *) __ptc_builtin_trap -p "$__ptc_signal" ;;
    esac
  done
}

__ptc_show_trap() {
  local __ptc_quote=\'
  [[ ! -v $2 ]] || \builtin printf '%s\n' "trap -- '${!2//$__ptc_quote/$__ptc_quote\\$__ptc_quote$__ptc_quote}' $1"
}

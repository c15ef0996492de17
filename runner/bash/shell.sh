# What the shell that runs the programs has beside them. It is sourced once, by loop.sh; the program stands in
# that one's first line, so that the lines which bash names are the program's own.

# The program has ended with status $1, by itself or by `break` or `continue` outside of its loops.
__ptc_end() {
  __ptc_status=$1 __ptc_action=${__ptc_at_exit-}
  # What would meddle with this loop, or with a program that knows nothing of it.
  unset __ptc_at_exit
  set +eEkuvx +o pipefail +o posix
  builtin trap - HUP QUIT PIPE ALRM TERM USR1 USR2 CHLD CONT WINCH
  # The guest ends them; the shell is not to tell the next program of that.
  builtin disown -a
  return "$1"
}

# Tells that this program has ended, if there was one, and waits for the next.
__ptc_next() {
  # An interrupt that comes from here on is for a program that is no more.
  builtin trap '' INT
  # By the byte.
  local LC_ALL=C __ptc_size
  if [[ -v __ptc_program ]]; then
    builtin printf 'done %d %d\n' "$BASHPID" "$__ptc_status" >"$__ptc_control" || return
  fi
  {
    # Without an IFS of its own: the program's may be constant, and numbers have none of it.
    while builtin read -r __ptc_size && [[ $__ptc_size == tools ]]; do builtin . "$__ptc_tools"; done
    builtin read -r -d '' -N "${__ptc_size:-0}" __ptc_program
  } <"$__ptc_programs" || return
  # Where it comes up while the state is saved, that is not done any more by who was at it.
  builtin trap '__ptc_save 130; builtin exit 130' INT
  builtin trap '__ptc_save "$?"; eval "${__ptc_at_exit-}"' EXIT
  builtin printf 'began %d\n' "$BASHPID" >"$__ptc_control"
}

# The shell exits, for whatever reason, with status $1: what it leaves to the one that comes after it.
__ptc_save() {
  {
    set +eEkuvx +o pipefail +o posix
    local __ptc_letter __ptc_name; local -a __ptc_all=() __ptc_names=()
    # No process lists them: it could be interrupted amid its list.
    for __ptc_letter in A B C D E F G H I J K L M N O P Q R S T U V W X Y Z a b c d e f g h i j k l m n o p q r s t u v w x y z _; do
      builtin eval "__ptc_all+=(\"\${!$__ptc_letter@}\")"
    done
    for __ptc_name in "${__ptc_all[@]}"; do
      case $__ptc_name in
        __ptc_* | BASH* | DIRSTACK | EPOCH* | EUID | FUNCNAME | GROUPS | HISTCMD) ;;
        LINENO | PIPESTATUS | PPID | RANDOM | SHELLOPTS | SRANDOM | UID | _) ;;
        *) __ptc_names+=("$__ptc_name") ;;
      esac
    done
    {
      builtin printf 'cd -- %q\n' "$PWD"
      builtin umask -p
      builtin shopt -p
      builtin declare -p "${__ptc_names[@]}"
      builtin declare -f
      builtin declare -F
      builtin alias -p
      builtin set +o
      builtin echo "# complete $$"
    } >|"$__ptc_state"
  } 2>/dev/null
  return "$1"
}

# `trap` as ever, but that EXIT is the end of the program and not that of the shell.
trap() {
  { local -; set +x; } 2>/dev/null
  if [[ $BASHPID == "$__ptc_shell" ]]; then
    [[ ${1-} == -- ]] && shift
    if (($# > 1)) && [[ $1 != -[lp] ]]; then
      local __ptc_handler=$1 __ptc_signal
      local -a __ptc_others=()
      for __ptc_signal in "${@:2}"; do
        case ${__ptc_signal^^} in
          0 | EXIT | SIGEXIT) if [[ $__ptc_handler == - ]]; then unset __ptc_at_exit; else __ptc_at_exit=$__ptc_handler; fi ;;
          ERR | SIGERR)
            # The loop's own command fails as the program does.
            case $__ptc_handler in
              - | '') builtin trap -- "$__ptc_handler" ERR ;;
              *) builtin trap -- "$__ptc_unless_loop$__ptc_handler$__ptc_end_unless" ERR ;;
            esac
            ;;
          *) __ptc_others+=("$__ptc_signal") ;;
        esac
      done
      ((${#__ptc_others[@]})) || return 0
      set -- "$__ptc_handler" "${__ptc_others[@]}"
    fi
  fi
  if (($# == 0)) || [[ $1 == -p ]]; then
    __ptc_list_traps "${@:2}"
  elif [[ $1 == -* && $1 != - ]]; then
    builtin trap "$@"
  else
    builtin trap -- "$@"
  fi
}

# The traps for these signals, or all, as the program set them.
__ptc_list_traps() {
  local __ptc_text __ptc_exit=
  __ptc_text=$(builtin trap -p "$@" && builtin printf .)
  [[ -n ${__ptc_at_exit+set} ]] && __ptc_exit="trap -- ${__ptc_at_exit@Q} EXIT"$'\n'
  __ptc_text=${__ptc_text/"trap -- '__ptc_save \"\$?\"; eval \"\${__ptc_at_exit-}\"' EXIT"$'\n'/"$__ptc_exit"}
  __ptc_text=${__ptc_text/"trap -- '__ptc_save 130; builtin exit 130' SIGINT"$'\n'/}
  __ptc_text=${__ptc_text/"'$__ptc_unless_loop"/"'"}
  __ptc_text=${__ptc_text/"$__ptc_end_unless' ERR"/"' ERR"}
  builtin printf '%s' "${__ptc_text%.}"
}

__ptc_shell=$BASHPID
__ptc_unless_loop='case $BASH_COMMAND in eval\ \"\$__ptc_program\") ;; *) ' __ptc_end_unless=$'\n;; esac'
unset BASH_EXECUTION_STRING
builtin . "$__ptc_state" >/dev/null 2>&1
builtin . "$__ptc_tools"

# The functions and variables of the shell that runs the programs. This file is sourced once, by the
# first line of the shell's script. Each other line of that script evaluates a program, then these
# texts (`_TURN` in shell.py). The texts are in constant variables, and each command in them begins
# with `\builtin`, because a program may define functions and aliases of any name, and may delete
# all functions.

# These texts are parsed for each program, so they are short, and their comments are outside.

# The program has ended by itself, with the status $__ptc_status.
\builtin readonly __ptc_end='
if [[ ${__ptc_at_exit-} || :$SHELLOPTS: == *:posix:* ]]; then
  \builtin eval "$__ptc_end_with_trap"
else
  __ptc_action= __ptc_after=
  \builtin eval "$__ptc_forget"
fi'

# The traps and options of the program also hold for its EXIT trap. In posix mode, `trap` is the
# builtin; the trap that it set is copied. The EXIT trap finds the status in $?: the first command
# of a list neither ends the shell nor runs an ERR trap.
\builtin readonly __ptc_end_with_trap='
if [[ :$SHELLOPTS: == *:posix:* ]]; then
  __ptc_text=$(\builtin trap -p EXIT)
  if [[ $__ptc_text != *__ptc_at_end* ]]; then __ptc_text= \builtin set +o posix; \builtin eval "$__ptc_text"; fi
fi
__ptc_action=${__ptc_at_exit-}
case $__ptc_status in 0) ;; *) __ptc_action="{ (\builtin exit \"\$__ptc_status\") && \builtin :; } 2>/dev/null; $__ptc_action" ;; esac
__ptc_after="{ \builtin eval \"\$__ptc_forget\"; } >/dev/null 2>&1"
\builtin unset __ptc_at_exit
case $- in
  *x*)
    __ptc_none= \builtin set +x
    __ptc_action="\builtin set -x; $__ptc_action
{ \builtin set +x; } 2>/dev/null"
    ;;
esac
__ptc_none= \builtin set +v
'

# Resets what would disturb the next program. An interrupt that comes from here on is for a program
# that has ended. The guest ends the jobs, and the shell must not report that to the next program. A
# shell without `read` and `printf` could not get another program. OPTIND says at which of its arguments
# `getopts` was; `printf` goes on if a program has made it constant.
\builtin readonly __ptc_forget='
__ptc_none= \builtin trap - DEBUG ERR RETURN HUP QUIT PIPE ALRM TERM USR1 USR2 CHLD CONT WINCH
\builtin trap "" INT
\builtin set +eEktuvx +o pipefail +o posix
\builtin unset __ptc_at_exit __ptc_trap_DEBUG __ptc_trap_ERR __ptc_trap_RETURN
\builtin disown -a
\builtin enable read printf
\builtin set --
\builtin printf -v OPTIND 1
\builtin declare -F trap || { \builtin . "$__ptc_traps"; \builtin . "$__ptc_tools"; }
'

# Reports that a program has ended. If LINENO cannot be set, the shell ends here, and not between
# two programs.
\builtin readonly __ptc_tell='LINENO=0; \builtin printf "done %d %d\n" "$BASHPID" "$__ptc_status" >"$__ptc_control" || \builtin exit'

# Waits for the next program. Its standard input comes from the guest. IFS is not changed, because a
# program may have made it constant; numbers contain none of its characters. The program is read by
# the byte, which another program must do if LC_ALL is constant.
\builtin readonly __ptc_wait='
while \builtin read -r __ptc_size && [[ $__ptc_size != [0-9]* ]]; do \builtin eval "$__ptc_serve"; done
case ${LC_ALL@a} in
  *r*)
    __ptc_program=$(\builtin command -p head -c "${__ptc_size:-0}" && \builtin echo .) || \builtin exit
    __ptc_program=${__ptc_program%.}
    ;;
  *) LC_ALL=C \builtin read -r -d "" -N "${__ptc_size:-0}" __ptc_program || \builtin exit ;;
esac
\builtin trap "$__ptc_on_interrupt" INT
\builtin trap "$__ptc_on_exit" EXIT
\builtin printf "began %d\n" "$BASHPID" >"$__ptc_control"
\builtin : "$BASH"'
\builtin readonly __ptc_serve='
case $__ptc_size in
  tools) \builtin . "$__ptc_tools" ;;
  save) \builtin eval "$__ptc_save" ;;
esac'

# The variables that each shell has of its own. They are keys, because `nocasematch` holds for all patterns. A list cannot follow
# `\builtin`; no program has run yet that could define a function `declare`.
declare -rA __ptc_of_shell=(
  [BASH]=1 [BASHOPTS]=1 [BASHPID]=1 [BASH_ALIASES]=1 [BASH_ARGC]=1 [BASH_ARGV]=1 [BASH_ARGV0]=1 [BASH_CMDS]=1
  [BASH_COMMAND]=1 [BASH_ENV]=1 [BASH_LINENO]=1 [BASH_MONOSECONDS]=1 [BASH_REMATCH]=1 [BASH_SOURCE]=1
  [BASH_SUBSHELL]=1 [BASH_TRAPSIG]=1 [BASH_VERSINFO]=1 [BASH_VERSION]=1 [BASH_XTRACEFD]=1 [DIRSTACK]=1
  [EPOCHREALTIME]=1 [EPOCHSECONDS]=1 [EUID]=1 [FUNCNAME]=1 [GROUPS]=1 [HISTCMD]=1 [LINENO]=1 [PIPESTATUS]=1
  [PPID]=1 [RANDOM]=1 [SHELLOPTS]=1 [SRANDOM]=1 [UID]=1 [_]=1
)

# Writes the state of this shell for its successor.
\builtin readonly __ptc_save='
{
  __ptc_flags=${-//[!eu]}
  \builtin set +eEktuvx +o pipefail +o posix
  __ptc_all=() __ptc_names=()
  # Without starting a process, which could be interrupted in the middle of its list.
  for __ptc_letter in A B C D E F G H I J K L M N O P Q R S T U V W X Y Z a b c d e f g h i j k l m n o p q r s t u v w x y z _; do
    \builtin eval "__ptc_all+=(\"\${!$__ptc_letter@}\")"
  done
  for __ptc_name in "${__ptc_all[@]}"; do
    [[ $__ptc_name == __ptc_* || -v __ptc_of_shell[$__ptc_name] ]] || __ptc_names+=("$__ptc_name")
  done
  {
    \builtin printf "cd -- %q; unset OLDPWD\n" "$PWD"
    \builtin umask -p
    \builtin shopt -p
    \builtin declare -p "${__ptc_names[@]}"
    \builtin declare -f
    \builtin declare -F
    \builtin alias -p
    \builtin set +o
    \builtin echo "# complete $$"
  } >|"$__ptc_state"
  \builtin set "-$__ptc_flags"
} 2>/dev/null
'

# The shell exits, for any reason. None of this is traced. It is one line, because an EXIT trap
# counts its lines from 1.
\builtin readonly __ptc_on_exit='{ __ptc_status=$? __ptc_trace=${-//[!x]}; \unset -f builtin command && \builtin set +x; } >/dev/null 2>&1 && { \builtin eval "$__ptc_at_end"; \builtin eval "$__ptc_action"; }'
\builtin readonly __ptc_at_end='
\builtin eval "$__ptc_save"
{ \builtin set "-$__ptc_trace"; \builtin eval "$__ptc_end"; } >/dev/null 2>&1'
# If an interrupt comes while the state is saved, saving stops, and the handler saves it from the
# start.
\builtin readonly __ptc_on_interrupt='\builtin eval "$__ptc_at_interrupt"'
\builtin readonly __ptc_at_interrupt='{ \builtin set +x; } 2>/dev/null; \builtin eval "$__ptc_save"; \builtin exit 130'

# A trap of a program must not run for commands of `trap`, which is a function, or of the shell's
# script.
\builtin readonly __ptc_unless_own='case "${FUNCNAME-}:$BASH_COMMAND" in trap:* | __ptc_*:* | *__ptc_*) ;; *) '
\builtin readonly __ptc_end_unless=$'\n;; esac'

# The shell was started in the directory of its script. The state contains the functions; otherwise
# `__ptc_forget` sources them.
\builtin cd -- "$__ptc_home"
\builtin unset OLDPWD
\builtin mapfile -d '' __ptc_text <"$__ptc_state"
\builtin eval "${__ptc_text-}" >/dev/null 2>&1
\builtin unset __ptc_text

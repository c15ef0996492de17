# The environment of bash's tests. Their `recho` and `zecho` are C programs, which cannot be started from a sandbox's
# /tmp, so here they are functions, in the plain shell too.
recho() {
  local -i recho_index=0
  local recho_word
  for recho_word; do printf 'argv[%d] = <%s>\n' $((++recho_index)) "$(printf %s "$recho_word" | cat -v)"; done
}
zecho() { printf '%s\n' "$*"; }
export -f recho zecho
# Some scripts print these. The plain shell's working directory is not /tmp itself.
export THIS_SH=/bin/bash BASH_TSTOUT=$PWD/bash-output TMPDIR=$PWD HOME=/usr
cd tests

/** Names with a meaning in bash programs: its keywords, its builtins, and common commands. */
export const SHELL_NAMES: ReadonlySet<string> = new Set(
  `
  alias awk basename bash bg bind break builtin caller case cat cd chmod chown clear cmp
  comm command compgen complete compopt continue coproc cp csplit curl cut date dd declare
  df diff dirname dirs disown do done du echo egrep elif else enable env esac eval exec exit
  expand export expr false fc fg fgrep fi file find fold for free function getopts git grep
  gunzip gzip hash head help history hostname iconv id if in install jobs join jq kill less
  let link ln local logout ls man mapfile md5sum mkdir mkfifo mktemp more mv nice nl node
  nohup nproc od paste patch perl pip popd printenv printf ps pushd pwd python python3 read
  readarray readlink readonly realpath return rev rm rmdir sed select seq set sh sha256sum
  shift shopt shuf sleep sort source split stat stdbuf strings stty sum suspend sync tac
  tail tar tee test then time timeout times top touch tr trap tree true tsort tty type
  typeset ulimit umask unalias uname uniq unlink unset until unzip uptime wait watch wc
  which while who whoami xargs yes zip
  `
    .trim()
    .split(/\s+/),
);

set -eEu -o pipefail
trap 'trap - ERR; false || exit 9' ERR
trap 'exit 8' EXIT
readonly PATH BASH_ENV
echo before
exit() { while false; do :; done; builtin exit 7; }
builtin() { return 1; }
readonly -f builtin
false

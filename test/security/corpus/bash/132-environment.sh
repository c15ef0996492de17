# State that the next program inherits may break the tools, and nothing else.
alias echo='false'
PATH=/nowhere
IFS=0123456789
BASH_ENV=/tmp/evil
echo() { builtin printf 'mine\n'; }
printf() { :; }
read() { builtin read -r -t 0.01 "$@"; }
export -f echo printf read
echo done

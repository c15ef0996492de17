nasty=$'\e[2J\e]0;title\a\u009b31m\u202e\u2066\u2028\u200b\x7f\r'
closed "$(printf '{"a\\u001b[2J\\u009b\\u202e":1}')" 2>&1 | grep -c InvalidArguments
fail_with --message "$nasty" 2>&1 | grep -c Failed
echo_ --value "\"$(printf '\\u001b]0;x\\u0007%.0s' {1..1000})\"" | wc -c
for count in {1..2000}; do echo "$nasty"; done >&2
echo_ --value after | tr -d '"'

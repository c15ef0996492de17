key=$(printf 'k%.0s' {1..100000})
map_of_lists "{\"$key\":[1,1,1,1,1,1,1,1,1,1,1,1]}" 2>&1 | grep -c InvalidArguments
closed "{\"$key\":1}" 2>&1 | grep -c InvalidArguments
patterns --nested "$(printf 'a%.0s' {1..28})!" 2>&1 | grep -c InvalidArguments
printf '{"ids":[1%s]}' "$(printf ',1%.0s' {1..18000})" | nullable_list - 2>&1 | grep -c InvalidArguments
printf '{"%s":[%s1]}' "$key" "$(printf '1,%.0s' {1..9000})" | zod_record - 2>&1 | grep -c InvalidArguments
echo_ --value after | tr -d '"'

printf '{"ids":[1%s]}' "$(printf ',1%.0s' {1..18000})" >/tmp/ids
for count in {1..12}; do
  nullable_list - </tmp/ids >"/tmp/out$count" 2>&1 &
  repeat_text --text x --times 100000 >"/tmp/text$count" &
done
wait
cat /tmp/out* | grep -c InvalidArguments
cat /tmp/text* | wc -c
rm /tmp/ids /tmp/out* /tmp/text*
echo_ --value after | tr -d '"'

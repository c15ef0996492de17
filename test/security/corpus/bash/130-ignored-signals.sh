trap '' INT TERM HUP QUIT
trap 'while :; do :; done' EXIT
echo "so far"
while :; do
  sleep 1
done

# Output without end, from processes that outlive the program.
for count in {1..5}; do
  (trap '' INT TERM HUP; while :; do echo flood; done) &
done
disown -a
setsid bash -c 'while :; do echo late; done' &
sleep 0.1

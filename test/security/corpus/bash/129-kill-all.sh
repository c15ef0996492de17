echo before
kill -9 1
kill -STOP 1
kill -9 -1
kill -9 "$PPID"
sleep 60

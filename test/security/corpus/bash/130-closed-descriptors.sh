echo before
exec <&- >&- 2>&-
for fd in {3..255}; do
  eval "exec $fd>&-"
done
echo nowhere

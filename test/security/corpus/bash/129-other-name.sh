# It becomes another program, under another name.
echo before
exec -a '[kworker/0:0]' sleep 60

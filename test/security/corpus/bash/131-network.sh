port=$(host_port)
try() {
  { timeout 2 bash -c "$2"; } >/dev/null 2>&1 && echo "$1 was there"
}
try tcp "exec 3<>/dev/tcp/127.0.0.1/$port"
try udp "exec 3<>/dev/udp/127.0.0.1/53; echo x >&3"
try source "source /dev/tcp/127.0.0.1/$port"
try metadata "exec 3<>/dev/tcp/169.254.169.254/80"
try name "exec 3<>/dev/tcp/example.com/80"
echo "$(grep -cv 'lo:\|\|' /proc/net/dev)"

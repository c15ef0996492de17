#!/bin/bash
# A Kubernetes cluster of one node for the tests, on a Debian 12 machine.
#
#   scripts/test-cluster.sh run COMMAND…   run a command with a cluster, and end the cluster after it
#   scripts/test-cluster.sh start          start a cluster that stays; prints what `env` prints
#   scripts/test-cluster.sh env            print `export …` for the kubeconfigs of the cluster that runs
#   scripts/test-cluster.sh load           read images for the cluster that runs: docker save IMAGE | scripts/test-cluster.sh load
#   scripts/test-cluster.sh stop           end the cluster that `start` left
#   scripts/test-cluster.sh built          say by the exit status whether the servers are built
#
# The servers are built from Debian's source package, which takes six minutes of processor time, and kept in the user's cache.
# A cluster has everything it owns in one directory, listens on the loopback interface only, and starts empty each time.
# SANDBOXED_PTC_CLUSTER_DIRECTORY names another directory; clusters in different directories run beside each other.

set -euo pipefail

directory=$(realpath --canonicalize-missing "${SANDBOXED_PTC_CLUSTER_DIRECTORY:-/var/lib/sandboxed-ptc-test-cluster}")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sandboxed-ptc
scripts=$(dirname "$(realpath "$0")")
parts=$scripts/test-cluster
credentials=$directory/credentials
# Present if `start` asked for the cluster, which `run` then leaves as it is.
keep_file=$directory/keep

# What the cluster has outside of its directory bears a number, by which clusters in different directories do not meet.
number=$(($(cksum <<<"$directory" | cut --delimiter=' ' --fields=1) % 4000))
# Of the API server; three others follow. Below those that the kernel gives to connections.
port=$((16000 + 4 * number))
api_server=https://127.0.0.1:$port
bridge=ptc-test$number
group=sandboxed-ptc-test-cluster-$number
# The node's name, and so its address: otherwise the kubelet needs a route to other machines to have one.
node=127.0.0.1

say() { echo "test-cluster: $*" >&2; }
fail() { say "$*"; exit 1; }

# ---- The lock ---------------------------------------------------------------------------------
# Descriptor 8: whoever starts, uses or ends the cluster. The kernel lets go of it when a process is killed, and no program
# that stays inherits it.

lock() {
  [[ $EUID == 0 ]] || fail 'a cluster needs root.'
  exec 8>"/run/lock/sandboxed-ptc-cluster-$number"
  flock --nonblock 8 && return
  say 'waits for another command that uses the cluster'
  flock 8
}

# ---- Processes --------------------------------------------------------------------------------

# Runs a command as the first process of namespaces of its own for processes and mounts. With it ends all that it started,
# and what that has mounted.
in_namespaces() {
  # The /proc from outside says its number there, by which it can be ended.
  local begin='read -r process _ </proc/self/stat; echo "$process" >"$0"; mount -t proc proc /proc; exec "$@"'
  exec setsid unshare --mount --propagation private --pid --fork --kill-child bash -c "$begin" "$directory/init.pid" "$@"
}

# The first process, unless its number meanwhile belongs to something else.
first_process() {
  local process
  process=$(cat "$directory/init.pid" 2>/dev/null) && grep -qsF "$directory" "/proc/$process/cmdline" && echo "$process"
}

# ---- The servers ------------------------------------------------------------------------------

install_missing() { # COMMAND PACKAGE
  command -v "$1" >/dev/null && return
  say "installing $2"
  local install=("$scripts/apt-get.sh" install --yes --no-install-recommends "$2")
  # The package lists are fetched only if those that are there do not do.
  "${install[@]}" 8>&- 9>&- && return
  "$scripts/apt-get.sh" update 8>&- 9>&- && "${install[@]}" 8>&- 9>&- && return
  fail "$2 could not be installed."
}

name_servers() { # Leaves `servers`.
  local key
  command -v apt-get >/dev/null || fail 'the servers can only be built on Debian 12.'
  # The build names the version of Kubernetes, and the release of Debian those of the rest.
  key=$({ dpkg --print-architecture; grep ^VERSION_ID= /etc/os-release; cat "$parts/build.sh"; } | sha256sum | head --bytes=16)
  servers=$cache/cluster/$key
}

provide_servers() { # Leaves `servers`.
  name_servers
  mkdir -p "$cache/cluster"
  # Clusters in other directories are built from the same. Descriptor 9 is closed at the end.
  exec 9>"$cache/cluster/lock"
  flock 9
  [[ -d $servers ]] || build_servers
  exec 9>&-
}

build_servers() {
  install_missing dpkg-source dpkg-dev
  say 'building the servers; this takes 4 to 15 minutes, once'
  rm -rf "$servers.part"
  mkdir "$directory/build"
  local status=0 seconds=$SECONDS
  # In the background, because the shell acts on a signal only between foreground commands.
  in_namespaces nice -n 10 "$parts/build.sh" "$directory/build" "$servers.part" >"$servers.log" 2>&1 </dev/null 8>&- 9>&- &
  wait "$!" || status=$?
  rm -rf "$directory/build"
  if ((status > 0)); then
    tail --lines=20 "$servers.log" >&2
    fail "the build of the servers failed; its log is $servers.log."
  fi
  mv "$servers.part" "$servers"
  rm "$servers.log"
  say "the servers are built, in $((SECONDS - seconds)) seconds"
}

# ---- The cluster ------------------------------------------------------------------------------

get() { # PATH
  curl --silent --fail --max-time 10 --cacert "$credentials/ca.crt" --cert "$credentials/admin.crt" \
    --key "$credentials/admin.key" "$api_server$1"
}

# Pods can be made and find a node: the controllers have made the account that pods name, and have seen the node ready.
is_ready() {
  local answer
  get /api/v1/namespaces/default/serviceaccounts/default >/dev/null && answer=$(get "/api/v1/nodes/$node") &&
    [[ $answer == *'"Ready"'* && $answer != *'"taints"'* ]]
}

# The seconds end what hangs. On a busy machine, the servers take ten times as long as usual.
wait_until() { # SECONDS COMMAND…
  local deadline=$((SECONDS + $1))
  until "${@:2}"; do
    ((SECONDS < deadline)) && first_process >/dev/null || return 1
    sleep 0.1
  done
}

use_cluster() { # Starts it, unless one runs that `start` asked for.
  install_missing containerd docker.io
  install_missing curl curl
  install_missing ip iproute2
  install_missing openssl openssl
  if [[ -e $keep_file ]] && first_process >/dev/null; then
    wait_until 300 is_ready || fail_with_logs 'the cluster that runs is not ready. End it with: scripts/test-cluster.sh stop'
    return
  fi
  remove_remains
  mkdir -p -m 700 "$directory"
  provide_servers
  start_cluster
}

start_cluster() {
  say "starting a cluster in $directory"
  local taken
  for taken in "$port" $((port + 1)) $((port + 2)) $((port + 3)); do
    ! (exec 3<>"/dev/tcp/127.0.0.1/$taken") 2>/dev/null ||
      fail "port $taken, which the cluster needs, is in use. Set SANDBOXED_PTC_CLUSTER_DIRECTORY: other directories have other ports."
  done
  mkdir "$credentials"
  "$parts/credentials.sh" "$credentials" "$api_server" "$node" 2>"$directory/credentials.log" || {
    cat "$directory/credentials.log" >&2
    fail 'the certificates could not be made; why is above.'
  }
  # The kubelet does not make the group of its pods.
  hierarchies | while read -r hierarchy; do mkdir -p "$hierarchy/$group"; done
  rm -f "$directory/init.pid"
  in_namespaces "$parts/servers.sh" "$directory" "$servers" "$number" "$port" "$node" \
    >"$directory/servers.log" 2>&1 </dev/null 8>&- &
  local process=$! deadline=$((SECONDS + 60))
  until first_process >/dev/null || ((SECONDS > deadline)) || ! kill -0 "$process" 2>/dev/null; do sleep 0.05; done
  # The first pod needs it, and by then the node is ready.
  wait_until 300 import_image "$servers/pause.tar" && wait_until 600 is_ready || fail_with_logs 'the cluster did not start'
  touch "$directory/ready"
}

fail_with_logs() { # MESSAGE
  tail --lines=5 "$directory"/servers.log "$directory"/logs/*.log >&2
  fail "$1; its last words are above."
}

import_image() { # FILE
  ctr --address "$directory/containerd.sock" --namespace k8s.io images import "$1" >/dev/null 2>"$directory/import.log"
}

# ---- The end ----------------------------------------------------------------------------------

# Where control groups are: one place, one for each controller, or both.
hierarchies() {
  awk '$3 ~ /^cgroup2?$/ { print $2 }' /proc/mounts
}

remove_remains() {
  local process link
  if process=$(first_process); then
    kill -KILL "$process" 2>/dev/null || true
    # The kernel ends all others before it.
    timeout 300 tail --sleep-interval 0.1 --pid="$process" -f /dev/null || fail "process $process, which has the cluster's directory, does not end."
  fi
  # The kernel removes the interfaces of pods that have ended when it comes to that.
  for link in $(ip -oneline link show master "$bridge" 2>/dev/null | sed 's/^[0-9]*: //; s/[@:].*//') "$bridge"; do
    ip link delete "$link" 2>/dev/null || true
  done
  hierarchies | while read -r hierarchy; do
    [[ ! -d $hierarchy/$group ]] || find "$hierarchy/$group" -depth -type d -exec rmdir {} +
  done
  rm -rf --one-file-system "$directory"
}

stop_unless_kept() {
  trap '' INT TERM
  [[ -e $keep_file ]] || remove_remains
}

# ---- Commands ---------------------------------------------------------------------------------

run() {
  (($# > 0)) || fail 'run needs a command.'
  begin
  eval "$(print_environment)"
  # In the background, because the shell acts on a signal only between foreground commands.
  env --default-signal=INT,QUIT "$@" <&0 8>&- &
  local command=$! status=0
  trap 'kill -TERM "$command" 2>/dev/null || true' TERM
  # A terminal has already sent it to the whole group.
  trap '[[ -t 0 ]] || kill -INT "$command" 2>/dev/null || true' INT
  while :; do
    status=0
    wait "$command" || status=$?
    kill -0 "$command" 2>/dev/null || break
  done
  exit "$status"
}

start() {
  begin
  touch "$keep_file"
  print_environment
}

begin() {
  lock
  trap stop_unless_kept EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  use_cluster
}

print_environment() {
  first_process >/dev/null && [[ -e $directory/ready ]] || fail 'no cluster runs. Start one with: scripts/test-cluster.sh start'
  echo "export SANDBOXED_PTC_TEST_KUBECONFIG=$credentials/admin.kubeconfig"
  echo "export SANDBOXED_PTC_TEST_RESTRICTED_KUBECONFIG=$credentials/restricted.kubeconfig"
}

load() {
  print_environment >/dev/null
  import_image - || {
    cat "$directory/import.log" >&2
    fail 'the images could not be loaded; why is above.'
  }
}

stop() {
  lock
  remove_remains
}

built() {
  name_servers
  [[ -d $servers ]]
}

case ${1:-} in
  run | start | load | stop | built) "$@" ;;
  env) print_environment ;;
  *) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

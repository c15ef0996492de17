#!/bin/bash
# A container engine for the tests, on a Debian machine that has none and reaches no image registry.
#
#   scripts/test-engine.sh run COMMAND…    run a command with DOCKER_HOST set, and clean up after it
#   scripts/test-engine.sh start           start an engine that stays; prints `export DOCKER_HOST=…`
#   scripts/test-engine.sh image PYTHON    make sandboxed-ptc-test:python3.9 (or 3.11) in the engine
#   scripts/test-engine.sh stop            end the engine that `start` left
#
# An engine that already answers is used and left as it is. Otherwise a dockerd is started with
# everything it owns in one directory, which is removed when it ends. Base images are made from
# the machine's own apt sources and kept as tarballs, so that the next start is quick.

set -euo pipefail

directory=${SANDBOXED_PTC_ENGINE_DIRECTORY:-/var/lib/sandboxed-ptc-test-engine}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sandboxed-ptc
socket=$directory/engine.sock
pid_file=$directory/dockerd.pid
# Present where `start` asked for the engine, so that the end of a `run` does not end it.
keep_file=$directory/keep
# Only root can start an engine, so users need not share their locks with each other.
[[ $EUID == 0 ]] && lock_directory=/run/lock || lock_directory=${XDG_RUNTIME_DIR:-${TMPDIR:-/tmp}}
locks=$lock_directory/sandboxed-ptc-$EUID$(tr / - <<<"$directory")
base_image=debian:trixie-slim
docker=docker
scripts=$(dirname "$(realpath "$0")")

say() { echo "test-engine: $*" >&2; }
fail() { say "$*"; exit 1; }

# ---- Locks ----------------------------------------------------------------------------------
# Descriptor 8: whoever starts or stops the engine. Descriptor 9: shared by the runs that use it.
# The kernel lets go of both when a process is killed. No program that is started inherits them;
# a function in the background would hold on to them, so what goes there is a plain command.

exec 8>"$locks.change" 9>"$locks.use"

without_locks() { "$@" 8>&- 9>&-; }

# ---- What has to be installed ---------------------------------------------------------------

install_missing() { # COMMAND PACKAGE
  command -v "$1" >/dev/null && return
  [[ $EUID == 0 ]] || fail "$2 must be installed, and that needs root."
  say "installing $2"
  local install=("$scripts/apt-get.sh" install --yes --no-install-recommends "$2")
  # The package lists are fetched only if those that are there do not do.
  without_locks "${install[@]}" && return
  without_locks "$scripts/apt-get.sh" update && without_locks "${install[@]}" && return
  fail "$2 could not be installed."
}

# ---- The engine -----------------------------------------------------------------------------

# Sets `docker` to a client that gets an answer: a newer client than the engine may refuse it.
engine_answers() {
  local client
  for client in docker /usr/bin/docker; do
    if timeout 30 "$client" version >/dev/null 2>&1; then
      docker=$client
      return 0
    fi
  done
  return 1
}

# The address of the engine that the client found, for programs that know nothing of contexts.
engine_address() {
  echo "${DOCKER_HOST:-$("$docker" context inspect --format '{{.Endpoints.docker.Host}}' 2>/dev/null ||
    echo unix:///var/run/docker.sock)}"
}

use_engine() { # Leaves DOCKER_HOST and `docker` set.
  # What is installed may start an engine by itself, or be the client of one that runs.
  if engine_answers || { install_missing dockerd docker.io && engine_answers; }; then
    DOCKER_HOST=$(engine_address)
  else
    local given=${DOCKER_HOST:-}
    export DOCKER_HOST=unix://$socket
    if ! engine_answers; then
      [[ -z $given ]] || say "no engine answers at $given"
      start_engine
    fi
  fi
  export DOCKER_HOST
  ensure_image "$base_image" trixie
}

start_engine() {
  [[ $EUID == 0 ]] || fail 'starting dockerd needs root; or set DOCKER_HOST to an engine that runs.'
  remove_remains
  mkdir -p -m 700 "$directory"
  say "starting dockerd in $directory"
  # Own namespaces, should dockerd find a containerd that serves another engine. No bridge and no
  # packet filter: sandboxes have no network, and image builds use the host's.
  setsid dockerd \
    --host "unix://$socket" --pidfile "$pid_file" \
    --data-root "$directory/data" --exec-root "$directory/exec" \
    --containerd-namespace sandboxed-ptc-test --containerd-plugins-namespace sandboxed-ptc-test-plugins \
    --bridge none --iptables=false --ip6tables=false --ip-masq=false --shutdown-timeout 1 \
    >"$directory/dockerd.log" 2>&1 </dev/null 8>&- 9>&- &
  local process=$! deadline=$((SECONDS + 300))
  until engine_answers; do
    if ! kill -0 "$process" 2>/dev/null || ((SECONDS > deadline)); then
      tail -n 20 "$directory/dockerd.log" >&2
      remove_remains
      fail 'dockerd did not start; its last words are above.'
    fi
    sleep 0.1
  done
}

# Ends the process of a pid file, unless the number meanwhile belongs to something else.
end_process() { # PID-FILE
  local process
  process=$(cat "$1" 2>/dev/null) || return 0
  grep -qsF "$directory" "/proc/$process/cmdline" || return 0
  kill "$process" 2>/dev/null || return 0
  timeout 60 tail --pid="$process" -f /dev/null || kill -KILL "$process" 2>/dev/null || true
}

remove_remains() {
  [[ -d $directory ]] || return 0
  end_process "$pid_file"
  end_process "$directory/exec/containerd/containerd.pid"
  awk -v under="$directory/" 'index($2, under) == 1 { print $2 }' /proc/mounts | sort -r |
    xargs --no-run-if-empty umount --lazy
  rm -rf "$directory"
}

# Ends our engine, unless a run still uses it or `start` asked for it to stay.
stop_if_unused() {
  # Only root can have started it.
  [[ $EUID == 0 ]] || return 0
  trap '' INT TERM
  flock 8
  exec 9>&- 9>"$locks.use"
  if [[ ! -e $keep_file ]]; then
    if flock --nonblock 9; then
      remove_remains
    else
      say 'a run still uses the engine; the last one ends it'
    fi
  fi
}

# ---- Images ---------------------------------------------------------------------------------

ensure_image() { # IMAGE SUITE [MMDEBSTRAP-OPTION]…
  local image=$1
  "$docker" image inspect "$image" >/dev/null 2>&1 && return
  local tarball
  tarball=$cache/$(tr / - <<<"${image//:/-}")-$(uname -m).tar
  # A registry is asked only for what a registry has, by engines that are not ours.
  if [[ ! -e $tarball && $image == "$base_image" && $DOCKER_HOST != "unix://$socket" ]]; then
    timeout 60 "$docker" pull --quiet "$image" >/dev/null 2>&1 && return
  fi
  [[ -e $tarball ]] || make_tarball "$tarball" "${@:2}"
  "$docker" import --change 'CMD ["bash"]' "$tarball" "$image" >/dev/null
  say "$image is ready"
}

make_tarball() { # TARBALL SUITE [MMDEBSTRAP-OPTION]…
  install_missing mmdebstrap mmdebstrap
  [[ $EUID == 0 ]] || fail 'making a base image needs root.'
  say "making $(basename "$1") from the machine's apt sources; this takes half a minute"
  mkdir -p "$cache"
  if ! without_locks mmdebstrap --variant=minbase --format=tar "${@:3}" \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    "$2" "$1.part" "$(debian_mirror)" 2>"$1.log"; then
    tail -n 20 "$1.log" >&2
    fail "mmdebstrap failed; its log is $1.log."
  fi
  mv "$1.part" "$1"
  rm "$1.log"
}

# Where this machine gets Debian itself from.
debian_mirror() {
  local uri
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Component: main' |
    grep -v -- '-security' | sort -u | head -n 1)
  [[ -n $uri ]] || fail 'apt has no Debian sources here; run apt-get update, or set DOCKER_HOST to an engine.'
  echo "$uri"
}

# ---- Commands -------------------------------------------------------------------------------

run() {
  (($# > 0)) || fail 'run needs a command.'
  flock 8
  trap stop_if_unused EXIT
  use_engine
  flock --shared 9
  flock --unlock 8
  # In the background, because the shell acts on a signal only between foreground commands.
  env --default-signal=INT,QUIT "$@" <&0 8>&- 9>&- &
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
  flock 8
  trap stop_if_unused EXIT
  use_engine
  [[ $DOCKER_HOST != "unix://$socket" ]] || touch "$keep_file"
  echo "export DOCKER_HOST=$DOCKER_HOST"
}

image() { # PYTHON-VERSION
  local suite
  case ${1:-} in
    3.9) suite=bullseye ;;
    3.11) suite=bookworm ;;
    *) fail 'image takes 3.9 or 3.11.' ;;
  esac
  flock 8
  trap stop_if_unused EXIT
  use_engine
  ensure_image "sandboxed-ptc-test:python$1" "$suite" --include=python3
}

stop() {
  flock 8
  rm -f "$keep_file"
  stop_if_unused
}

case ${1:-} in
  run | start | image | stop) "$@" ;;
  *) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

#!/bin/bash
# apt-get without questions. While another process holds one of its locks, it says so and waits, up to ten minutes.
# Prints what apt-get printed only if that failed.
set -uo pipefail

deadline=$((SECONDS + 600))
waits_for=

while :; do
  output=$(LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get "$@" 2>&1) && exit
  status=$?
  # Such as `Could not get lock /var/lib/apt/lists/lock. It is held by process 4321 (apt-get)`.
  lock=$(grep --max-count=1 --only-matching 'Could not get lock .*' <<<"$output")
  if [[ -z $lock ]] || ((SECONDS >= deadline)); then
    echo "$output" >&2
    exit "$status"
  fi
  [[ $lock == "$waits_for" ]] || echo "apt-get waits: $lock" >&2
  waits_for=$lock
  sleep 1
done

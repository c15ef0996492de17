# Starts the guest from its snapshot, or says what snapshots are bound to: `sh start.sh MEBIBYTES OPTION...`, or
# `sh start.sh describe`. V8 takes one only with the limit of its memory that it was made with and on such a processor:
# anywhere else the guest starts from its script.
directory=${0%/*}

processor=
while read -r line && [ -n "$line" ]; do
  case $line in
    vendor_id* | cpu\ family* | model* | stepping* | flags* | CPU* | Features*) processor="$processor $line" ;;
  esac
done </proc/cpuinfo

if [ "$1" = describe ]; then
  printf '%s\n' "$processor"
  exit
fi
snapshot=$directory/$1.snapshot
heap=--max-old-space-size=$1
shift
if [ -e "$snapshot" ] && read -r made_for <"$directory/processor" && [ " $made_for" = "$processor" ]; then
  exec node "$heap" "$@" --snapshot-blob "$snapshot"
fi
exec node "$heap" "$@" "$directory/guest.cjs"

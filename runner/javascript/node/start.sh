# Starts the guest from its snapshot, makes a snapshot, or describes what snapshots are bound to:
#   sh start.sh MEBIBYTES OPTION... | sh start.sh make MEBIBYTES FILE | sh start.sh describe
# V8 accepts a snapshot only with the memory limit with which it was made, and on the same kind of processor. Otherwise
# the guest starts from its script. Node 20 and Node 24 have different names for the option of the permission model. The
# name is stored with the snapshot, because it takes time to find out. An image may come to another machine, so the
# processor is stored too.
directory=${0%/*}

read_processor() {
  processor=
  while read -r line && [ -n "$line" ]; do
    case $line in
      vendor_id* | cpu\ family* | model* | stepping* | flags* | CPU* | Features*) processor="$processor $line" ;;
    esac
  done </proc/cpuinfo
}

find_permission() {
  permission=--experimental-permission
  node --permission --version >/dev/null 2>&1 && permission=--permission
}

case $1 in
  make)
    # Warnings that are disabled when the snapshot is made are disabled when it starts.
    exec node "--max-old-space-size=$2" --disable-warning=ExperimentalWarning \
      --snapshot-blob "$3" --build-snapshot "$directory/snapshot.cjs"
    ;;
  describe)
    read_processor
    find_permission
    printf '%s\n' "$permission" "$processor"
    exit
    ;;
esac

snapshot=$directory/$1.snapshot
heap=--max-old-space-size=$1
shift
if [ -e "$snapshot" ]; then
  { read -r permission; read -r made_for; } <"$directory/description"
  read_processor
  [ " $made_for" = "$processor" ] && exec node "$permission" "$heap" "$@" --snapshot-blob "$snapshot"
else
  find_permission
fi
exec node "$permission" "$heap" "$@" "$directory/guest.cjs"

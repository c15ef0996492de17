# Starts the guest from its snapshot, makes a snapshot, or describes what snapshots are bound to:
#   sh start.sh MEBIBYTES OPTION... | sh start.sh make MEBIBYTES FILE | sh start.sh describe
# V8 accepts a snapshot only with the memory limit with which it was made, and on the same kind of processor. Otherwise
# the guest starts from its script. Node 20 and Node 24 have different names for the option of the permission model. The
# name is stored with the snapshot, because it takes time to find out.
directory=${0%/*}

# What the kernel says about the processor stays the same until the machine starts again. The shell reads it byte by
# byte, which takes almost a millisecond, so it is compared only if the machine has started again since.
read_boot() {
  boot=
  read -r boot 2>/dev/null </proc/sys/kernel/random/boot_id
}

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
    read_boot
    read_processor
    find_permission
    printf '%s\n' "$permission" "$boot" "$processor"
    exit
    ;;
esac

snapshot=$directory/$1.snapshot
heap=--max-old-space-size=$1
shift
if [ -e "$snapshot" ]; then
  read_boot
  {
    read -r permission && read -r made_in
    [ -n "$boot" ] && [ "$made_in" = "$boot" ] || {
      read_processor
      read -r made_for && [ " $made_for" = "$processor" ]
    }
  } <"$directory/description" && exec node "$permission" "$heap" "$@" --snapshot-blob "$snapshot"
else
  find_permission
fi
exec node "$permission" "$heap" "$@" "$directory/guest.cjs"

# Starts the guest from its snapshot, makes one, or says what snapshots are bound to:
#   sh start.sh MEBIBYTES OPTION... | sh start.sh make MEBIBYTES FILE | sh start.sh describe
# V8 takes one only with the limit of its memory that it was made with and on such a processor: anywhere else the guest
# starts from its script.
directory=${0%/*}

read_processor() {
  processor=
  while read -r line && [ -n "$line" ]; do
    case $line in
      vendor_id* | cpu\ family* | model* | stepping* | flags* | CPU* | Features*) processor="$processor $line" ;;
    esac
  done </proc/cpuinfo
}

case $1 in
  make)
    # The warnings that are off when it is made are off when it starts.
    exec node "--max-old-space-size=$2" --disable-warning=ExperimentalWarning \
      --snapshot-blob "$3" --build-snapshot "$directory/guest.cjs"
    ;;
  describe)
    read_processor
    printf '%s\n' "$processor"
    exit
    ;;
esac

snapshot=$directory/$1.snapshot
heap=--max-old-space-size=$1
shift
if [ -e "$snapshot" ]; then
  read_processor
  read -r made_for <"$directory/processor"
  [ " $made_for" = "$processor" ] && exec node "$heap" "$@" --snapshot-blob "$snapshot"
fi
exec node "$heap" "$@" "$directory/guest.cjs"

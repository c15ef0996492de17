# Starts the guest from its snapshot, makes one, or says what snapshots are bound to:
#   sh start.sh MEBIBYTES OPTION... | sh start.sh make MEBIBYTES FILE | sh start.sh describe
# V8 takes one only with the limit of its memory that it was made with and on such a processor: anywhere else the guest
# starts from its script. Its permission model has another name in Node 20 than in Node 24, which is kept with the
# snapshot because it takes a while to find out.
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
    # The warnings that are off when it is made are off when it starts.
    exec node "--max-old-space-size=$2" --disable-warning=ExperimentalWarning \
      --snapshot-blob "$3" --build-snapshot "$directory/guest.cjs"
    ;;
  describe)
    read_processor
    find_permission
    printf '%s\n' "$processor" "$permission"
    exit
    ;;
esac

snapshot=$directory/$1.snapshot
heap=--max-old-space-size=$1
shift
if [ -e "$snapshot" ]; then
  read_processor
  { read -r made_for && read -r permission; } <"$directory/description"
  [ " $made_for" = "$processor" ] && exec node "$permission" "$heap" "$@" --snapshot-blob "$snapshot"
else
  find_permission
fi
exec node "$permission" "$heap" "$@" "$directory/guest.cjs"

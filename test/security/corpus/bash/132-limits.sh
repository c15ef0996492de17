ulimit -n 100000 2>/dev/null && echo "more files"
ulimit -c unlimited 2>/dev/null && echo "core files"
ulimit -f unlimited 2>/dev/null && echo "longer files"
ulimit -Hl unlimited 2>/dev/null && echo "locked memory"
head -c 100M /dev/zero >/tmp/full 2>/dev/null
(($(stat -c %s /tmp/full) <= 16 * 1024 * 1024)) && echo bounded

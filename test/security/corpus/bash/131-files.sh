try() {
  { eval "$2"; } >/dev/null 2>&1 && echo "$1 worked"
}
try shadow 'cat /etc/shadow'
try environ 'grep -q . /proc/1/environ'
try memory 'head -c 1 /proc/1/mem'
try descriptors 'ls /proc/1/fd'
try input 'exec 9<>/proc/1/fd/0'
try root 'echo x >/x'
try etc 'echo x >/etc/x'
try usr 'echo x >/usr/bin/x'
try link 'ln -s / /tmp/link && echo x >/tmp/link/etc/x'
try core 'echo "|/tmp/x" >/proc/sys/kernel/core_pattern'
try start 'cp /bin/true /tmp/true && chmod +x /tmp/true && /tmp/true'
try mount 'mount -t tmpfs none /mnt'
try user 'unshare -Ur true'
echo tried

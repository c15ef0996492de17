/**
 * Paths that are hidden in a sandbox, beyond those that engines hide by themselves: parts of /dev
 * that use up resources of the machine, and parts of /proc and /sys that tell about the machine and
 * its other users. Counters of the whole machine also let programs in two sandboxes exchange data.
 * Programs can still read what they commonly need: processors and their times (`stat`), memory,
 * load, uptime, version, and the controllers of control groups (`cgroups`, by which Java finds its
 * limits). They can also read the counters of the network in `/proc/net`, because that is a link to a
 * directory that each process has.
 */
export const MASKED_PATHS: readonly string[] = [
  // Engines mount it whatever the IPC mode is. Programs that can open files in it can create
  // message queues.
  '/dev/mqueue',
  // Engines give each container /dev/ptmx, a multiplexer of pseudo-terminals that leads to this
  // directory. The kernel has 4096 pseudo-terminals for the whole machine, and a sandbox could take
  // as many as it has processes and file descriptors.
  '/dev/pts',
  '/proc/acpi',
  '/proc/asound',
  '/proc/buddyinfo',
  '/proc/bus',
  '/proc/cmdline',
  '/proc/config.gz',
  '/proc/crypto',
  '/proc/diskstats',
  '/proc/driver',
  '/proc/fs',
  '/proc/interrupts',
  '/proc/iomem',
  '/proc/ioports',
  '/proc/irq',
  '/proc/kallsyms',
  '/proc/kcore',
  '/proc/key-users',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/locks',
  '/proc/mdstat',
  '/proc/modules',
  '/proc/mtrr',
  '/proc/partitions',
  '/proc/pressure',
  '/proc/sched_debug',
  '/proc/schedstat',
  '/proc/scsi',
  '/proc/softirqs',
  '/proc/swaps',
  // How many files, names, inodes and requests the kernel has. Hidden as one directory, because each
  // hidden path makes a start in bubblewrap 0.15 ms slower.
  '/proc/sys/fs',
  '/proc/sys/kernel/pty',
  '/proc/sys/kernel/random/boot_id',
  '/proc/sysvipc',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/tty',
  '/proc/vmstat',
  '/proc/zoneinfo',
  '/sys/block',
  '/sys/bus',
  '/sys/class',
  '/sys/dev',
  // The whole directory, because the entries of `/sys/block` and `/sys/class` are links into it.
  '/sys/devices',
  '/sys/firmware',
  '/sys/fs/bpf',
  '/sys/fs/btrfs',
  '/sys/fs/ext4',
  '/sys/fs/fuse',
  '/sys/fs/pstore',
  '/sys/fs/xfs',
  '/sys/hypervisor',
  '/sys/kernel',
  '/sys/module',
  '/sys/power',
  // Not all of /sys/fs is hidden: in /sys/fs/cgroup the supervisor reads whether memory ran out. It
  // is read-only, and the private control group namespace shows only this sandbox's own group.
];

/** Parts of /proc by which root could change the machine. Engines protect them too. */
export const READ_ONLY_PATHS: readonly string[] = ['/proc/sys', '/proc/sysrq-trigger'];

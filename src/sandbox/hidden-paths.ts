/**
 * Parts of /dev that take from the machine, and parts of /proc and /sys that tell about it and the others on it, beyond what engines hide by
 * themselves. What is left is what programs ask for: processors, memory, load, uptime, version.
 */
export const MASKED_PATHS: readonly string[] = [
  // Engines mount it whatever the IPC mode is: who can open files there can make message queues.
  '/dev/mqueue',
  // Engines give each container a multiplexer of pseudo-terminals, /dev/ptmx, which leads here. The kernel has 4096 of
  // them for the whole machine, and a sandbox could take as many as it has processes and descriptors.
  '/dev/pts',
  '/proc/acpi',
  '/proc/asound',
  '/proc/buddyinfo',
  '/proc/bus',
  '/proc/cmdline',
  '/proc/config.gz',
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
  '/proc/modules',
  '/proc/mtrr',
  '/proc/partitions',
  '/proc/pressure',
  '/proc/sched_debug',
  '/proc/schedstat',
  '/proc/scsi',
  '/proc/softirqs',
  '/proc/sysvipc',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/tty',
  '/proc/zoneinfo',
  '/sys/block',
  '/sys/bus',
  '/sys/class',
  '/sys/dev',
  // Not its parts: what `/sys/block` and `/sys/class` show are links to here.
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
  // Not all of /sys/fs: in /sys/fs/cgroup the supervisor reads whether memory ran out. It is read-only, and
  // the private control group namespace lets it show this sandbox's own group only.
];

/** Parts of /proc that root could change the machine by. Engines protect the same by themselves. */
export const READ_ONLY_PATHS: readonly string[] = ['/proc/sys', '/proc/sysrq-trigger'];

/** What an engine says of itself, as far as it is read here. */
export interface EngineFacts {
  readonly version: {
    readonly Components?: readonly { readonly Name: string; readonly Version: string }[];
  };
  readonly info: {
    readonly SecurityOptions?: readonly string[] | null;
    readonly CgroupVersion?: string;
  };
  /** The OCI runtime of the sandbox that was looked at. */
  readonly runtime: string | undefined;
}

/** Ways out of a container that a version of runc closed, and the first one of each series that does. */
const RUNC_FIXES = [
  { flaws: 'CVE-2019-5736', fixedIn: ['1.0.0-rc7'] },
  { flaws: 'CVE-2024-21626', fixedIn: ['1.1.12'] },
  {
    flaws: 'CVE-2025-31133, CVE-2025-52565 and CVE-2025-52881',
    fixedIn: ['1.2.8', '1.3.3', '1.4.0-rc3'],
  },
] as const;

/** What an engine is weak in though it gives a sandbox all of its protections. */
export function engineNotes({ version, info, runtime = 'runc' }: EngineFacts): string[] {
  const options = info.SecurityOptions ?? [];
  const has = (name: string): boolean => options.some((option) => option.includes(`name=${name}`));
  const runc = version.Components?.find(({ Name }) => Name === 'runc')?.Version;
  return [
    ...(runc === undefined || runtime !== 'runc' ? [] : runcNotes(runc)),
    ...(has('rootless') || has('userns')
      ? []
      : [
          'The engine runs as root and maps no user ids, so a way out of a container leads to root’s ' +
            'machine. A rootless engine, or userns-remap in the daemon, is a wall more.',
        ]),
    ...(has('apparmor') || has('selinux')
      ? []
      : [
          'Neither AppArmor nor SELinux confines containers here; the kernel or the engine lacks it.',
        ]),
    ...(info.CgroupVersion === '1'
      ? [
          'Control groups are of version 1, which kernels and engines are giving up. Version 2 is the default of current systems.',
        ]
      : []),
  ];
}

function runcNotes(version: string): string[] {
  const open = RUNC_FIXES.filter(({ fixedIn }) => !isFixed(version, fixedIn));
  if (open.length === 0) return [];
  const flaws = open.map(({ flaws: names, fixedIn }) => `${names} (in ${fixedIn.join(', ')})`);
  return [
    `runc ${version} is older than the versions that mend ${flaws.join(' and ')}. Update it, unless ` +
      'your distribution has put the fix into the version that it has.',
  ];
}

/** Whether a version has a fix that came out in several series: `1.2.9` has what `1.2.8` brought. */
function isFixed(version: string, fixedIn: readonly string[]): boolean {
  const numbers = parse(version);
  if (numbers === undefined) return true;
  const series = fixedIn.map((fixed) => parse(fixed) ?? []);
  const same = series.find((fixed) => fixed[0] === numbers[0] && fixed[1] === numbers[1]);
  return compare(numbers, same ?? series.at(-1) ?? []) >= 0;
}

/** Major, minor, patch, and the candidate where it is one; undefined for what is no version. */
function parse(version: string): readonly number[] | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:[-~.]?rc\.?(\d+))?/.exec(version);
  if (match === null) return undefined;
  const [, major, minor, patch, candidate] = match;
  return [major, minor, patch, candidate ?? Number.MAX_SAFE_INTEGER].map(Number);
}

function compare(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((number, position) => number !== right[position]);
  return index === -1 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}

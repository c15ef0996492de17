/** What an engine reports about itself, as far as it is used here. */
export interface EngineFacts {
  readonly version: {
    readonly Components?: readonly { readonly Name: string; readonly Version: string }[];
  };
  readonly info: {
    readonly SecurityOptions?: readonly string[] | null;
    readonly CgroupVersion?: string;
  };
  /** The OCI runtime of the inspected sandbox. */
  readonly runtime: string | undefined;
}

/**
 * Flaws of runc that let programs escape from a container, and the first fixed version of each
 * series.
 */
const RUNC_FIXES = [
  { flaws: 'CVE-2019-5736', fixedIn: ['1.0.0-rc7'] },
  { flaws: 'CVE-2024-21626', fixedIn: ['1.1.12'] },
  {
    flaws: 'CVE-2025-31133, CVE-2025-52565 and CVE-2025-52881',
    fixedIn: ['1.2.8', '1.3.3', '1.4.0-rc3'],
  },
] as const;

/** Describes weaknesses of an engine that gives a sandbox all of its protections. */
export function engineNotes({ version, info, runtime = 'runc' }: EngineFacts): string[] {
  const options = info.SecurityOptions ?? [];
  const has = (name: string): boolean => options.some((option) => option.includes(`name=${name}`));
  const runc = version.Components?.find(({ Name }) => Name === 'runc')?.Version;
  return [
    ...(runc === undefined || runtime !== 'runc' ? [] : runcNotes(runc)),
    ...(has('rootless') || has('userns')
      ? []
      : [
          'The engine runs as root and maps no user ids, so a program that escapes from a container is root on the ' +
            'machine. Use a rootless engine, or userns-remap in the daemon, as a further layer.',
        ]),
    ...(has('apparmor') || has('selinux')
      ? []
      : [
          'Neither AppArmor nor SELinux confines containers on this machine, because the kernel or the engine does not support it.',
        ]),
    ...(info.CgroupVersion === '1'
      ? [
          'The machine uses control groups of version 1, which kernels and engines are about to drop. Use a system with version 2.',
        ]
      : []),
  ];
}

function runcNotes(version: string): string[] {
  const open = RUNC_FIXES.filter(({ fixedIn }) => !isFixed(version, fixedIn));
  if (open.length === 0) return [];
  const flaws = open.map(({ flaws: names, fixedIn }) => `${names} (in ${fixedIn.join(', ')})`);
  return [
    `runc ${version} is older than the versions that fix ${flaws.join(' and ')}. Update it, unless ` +
      'your distribution has added the fix to this version.',
  ];
}

/**
 * Whether a version has a fix that was released in several series: `1.2.9` has the fix of `1.2.8`.
 */
function isFixed(version: string, fixedIn: readonly string[]): boolean {
  const numbers = parse(version);
  if (numbers === undefined) return true;
  const series = fixedIn.map((fixed) => parse(fixed) ?? []);
  const same = series.find((fixed) => fixed[0] === numbers[0] && fixed[1] === numbers[1]);
  return compare(numbers, same ?? series.at(-1) ?? []) >= 0;
}

/**
 * Returns major, minor, patch, and the number of a release candidate. Undefined if the text is not
 * a version.
 */
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

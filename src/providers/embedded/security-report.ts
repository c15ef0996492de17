import type { Protection, SecurityReport } from '../../sandbox/protection.ts';
import type { Command } from './deno/deno-command.ts';

/** What the system reports about a process. */
export interface ProcessFacts {
  readonly args: readonly string[];
  readonly environmentNames: readonly string[];
  /** The kernel's limit on private writable memory. Undefined if there is none. */
  readonly dataLimitBytes: number | undefined;
}

/**
 * Compares how the process of a sandbox was started with how it runs, and adds the weaknesses of
 * this provider. `facts` is undefined if the system does not report them.
 */
export function embeddedSecurity(
  { args, env }: Command,
  facts: ProcessFacts | undefined,
): SecurityReport {
  const told = facts && { args: new Set(facts.args), names: facts.environmentNames };
  const has = (flags: readonly string[]): boolean =>
    told === undefined || flags.every((flag) => told.args.has(flag));
  const applied = (holds: boolean, asked: string): string | undefined =>
    told && (holds ? asked : 'less than was requested');
  const protection = (
    name: Protection['name'],
    asked: string,
    holds: boolean,
    missing: string,
  ): Protection => ({ name, asked, applied: applied(holds, asked), holds, missing });

  const denied = args.filter(
    (argument) => argument.startsWith('--deny-') || argument.startsWith('--no-'),
  );
  const v8Flags = args.filter((argument) => argument.startsWith('--v8-flags='));
  const bounded = args.find((argument) => argument.includes('ulimit -d')) !== undefined;
  const names = Object.keys(env).sort();
  const more =
    told?.names.filter((name) => !SHELL_VARIABLES.has(name) && !names.includes(name)) ?? [];
  return {
    protections: [
      protection(
        'permissions',
        `none: ${listDenied(denied)}`,
        has(denied),
        'a permission is not denied',
      ),
      protection(
        'memory',
        'limited in WebAssembly, and measured',
        has(v8Flags),
        'memory has no limit',
      ),
      protection(
        'JavaScript',
        'no code from text',
        v8Flags.some((flag) => flag.includes('--disallow-code-generation-from-strings')) &&
          has(v8Flags),
        'JavaScript can make code from text',
      ),
      protection('environment', names.join(' '), more.length === 0, `it has ${more.join(' ')}`),
      ...(bounded
        ? [
            protection(
              'process limits',
              'private memory limited by the kernel',
              facts === undefined || facts.dataLimitBytes !== undefined,
              'the kernel does not limit its memory',
            ),
          ]
        : []),
    ],
    notes: [...WEAKNESSES, ...(bounded ? [] : [NO_KERNEL_LIMIT])],
  };
}

function listDenied(flags: readonly string[]): string {
  const names = flags.filter((flag) => flag.startsWith('--deny-'));
  return names.map((flag) => flag.replace('--deny-', '')).join(' ');
}

/** Variables that a shell sets when it starts a program. */
const SHELL_VARIABLES = new Set(['PWD', 'OLDPWD', 'SHLVL', '_']);

const WEAKNESSES = [
  'No filter of system calls: a program that exploits a flaw of WebAssembly, V8 or Deno has all rights of your user.',
  'No user, file system or namespaces of its own: it is a process of your user. Deno denies it files, ' +
    'processes and networks; the kernel does not.',
  'No limit on processor time: a program can keep one processor busy until its time limit.',
  'Memory is measured every 50 ms and not counted by a control group, so it can exceed its limit for a moment.',
  'Prefer Docker for code of strangers.',
];

const NO_KERNEL_LIMIT =
  'On this system, the kernel does not limit its memory; only the measurement does.';

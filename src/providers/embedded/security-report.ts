import type { Protection, SecurityReport } from '../../sandbox/protection.ts';
import type { Command } from './deno-command.ts';

/** What a system says of a process, as it was started; undefined where it does not say. */
export interface ProcessFacts {
  readonly args: readonly string[];
  readonly environmentNames: readonly string[];
  /** The kernel's bound of private writable memory; undefined where there is none. */
  readonly dataLimitBytes: number | undefined;
}

/** Compares how a sandbox's process was started with how it runs, and names the walls that it lacks. */
export function embeddedSecurity(
  { args, env }: Command,
  facts: ProcessFacts | undefined,
): SecurityReport {
  const told = facts && { args: new Set(facts.args), names: facts.environmentNames };
  const has = (flags: readonly string[]): boolean =>
    told === undefined || flags.every((flag) => told.args.has(flag));
  const applied = (holds: boolean, asked: string): string | undefined =>
    told && (holds ? asked : 'less than was asked for');
  const protection = (
    name: Protection['name'],
    asked: string,
    holds: boolean,
    missing: string,
  ): Protection => ({ name, asked, applied: applied(holds, asked), holds, missing });

  const denied = args.filter(
    (argument) => argument.startsWith('--deny-') || argument.startsWith('--no-'),
  );
  const engine = args.filter((argument) => argument.startsWith('--v8-flags='));
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
        'bounded in WebAssembly, then watched',
        has(engine),
        'memory has no bound',
      ),
      protection(
        'JavaScript',
        'no code from text',
        engine.some((flag) => flag.includes('--disallow-code-generation-from-strings')) &&
          has(engine),
        'JavaScript can be made of text',
      ),
      protection('environment', names.join(' '), more.length === 0, `it has ${more.join(' ')}`),
      ...(bounded
        ? [
            protection(
              'process limits',
              'private memory bounded by the kernel',
              facts === undefined || facts.dataLimitBytes !== undefined,
              'the kernel does not bound its memory',
            ),
          ]
        : []),
    ],
    notes: [...MISSING_WALLS, ...(bounded ? [] : [NO_KERNEL_BOUND])],
  };
}

function listDenied(flags: readonly string[]): string {
  const names = flags.filter((flag) => flag.startsWith('--deny-'));
  return names.map((flag) => flag.replace('--deny-', '')).join(' ');
}

/** A shell that starts a program sets these by itself. */
const SHELL_VARIABLES = new Set(['PWD', 'OLDPWD', 'SHLVL', '_']);

const MISSING_WALLS = [
  'No filter of system calls: behind a flaw of WebAssembly, V8 or Deno lies all that your user may do.',
  'No user, file system or name spaces of its own: it is a process of yours, which Deno keeps from files, ' +
    'processes and networks, and the kernel does not.',
  'No bound of processor time: a program may keep one processor busy until its time limit.',
  'Memory is watched every 50 ms and not counted by a control group, so that it may pass its limit for a moment.',
  'Prefer Docker for code of strangers.',
];

const NO_KERNEL_BOUND =
  'On this system the kernel bounds none of its memory; the watch alone does.';

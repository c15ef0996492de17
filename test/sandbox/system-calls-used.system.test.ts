import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ALLOWED_SYSTEM_CALLS,
  CONDITIONAL_SYSTEM_CALLS,
} from '../../src/sandbox/seccomp/system-calls.ts';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../support/engine.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { skippedFor } from '../support/skipped.ts';

const workload = await readFile(new URL('system-calls-workload.py', import.meta.url), 'utf8');
const python = process.env['SANDBOXED_PTC_TEST_PYTHON'] ?? 'python3';
const canTrace = spawnSync('strace', ['-V']).status === 0;

/** What is tried and done without where it is refused: the same programs run in the sandbox below. */
const DONE_WITHOUT: Readonly<Record<string, string>> = {
  connect: 'glibc asks a daemon for the names of users, then reads /etc/passwd itself.',
  fchown: 'SQLite gives its files to the owner of their directory, where it is root.',
  mbind: 'OpenBLAS spreads its memory over the nodes of a large machine.',
};

/** Runs the workload as a program of a session, and gives what it printed. */
async function runWorkload(sandbox: SandboxProvider | 'docker'): Promise<string> {
  await using executor = new SandboxExecutor({ provider: sandbox });
  const { stdout, error } = await executor.execute(workload);
  return `${stdout}${error?.traceback ?? ''}`;
}

describe(
  'the system calls of the runner and of what programs commonly do',
  skippedFor(canTrace ? undefined : 'strace is not installed'),
  () => {
    let directory: string;
    let used: ReadonlySet<string>;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-trace-'));
      const [trace, traced] = [join(directory, 'trace'), join(directory, 'python')];
      const command = `exec strace -f -qq -o '${trace}' '${python}' "$@"`;
      await writeFile(traced, `#!/bin/sh\n${command}\n`, { mode: 0o700 });
      const printed = await runWorkload(unisolatedLocalProvider(traced));
      if (printed !== 'done\n') throw new Error(printed);
      used = systemCallsOf(await readFile(trace, 'utf8'));
    });
    afterAll(() => rm(directory, { recursive: true }));

    it('are all on the list', () => {
      const known = new Set([
        ...ALLOWED_SYSTEM_CALLS.flatMap(({ names }) => names),
        ...CONDITIONAL_SYSTEM_CALLS.map(({ name }) => name),
        ...Object.keys(DONE_WITHOUT),
      ]);
      expect(used.size).toBeGreaterThan(100);
      expect([...used].filter((name) => !known.has(name))).toEqual([]);
    });

    it.each(ALLOWED_SYSTEM_CALLS)('need what is on the list for $reason', ({ names }) => {
      expect(names.filter((name) => used.has(name))).not.toEqual([]);
    });

    it('need what is allowed under a condition', () => {
      // Which of the two makes threads is libc's choice.
      const either = ['clone', 'clone3'];
      const others = CONDITIONAL_SYSTEM_CALLS.filter(({ name }) => !either.includes(name));
      expect(others.filter(({ name }) => !used.has(name))).toEqual([]);
      expect(either.some((name) => used.has(name))).toBe(true);
    });
  },
);

describeWithEngine('the same programs', () => {
  it('run under the list', async () => {
    expect(await runWorkload('docker')).toBe('done\n');
  });
});

/** The names in what `strace -f` wrote: a process id, then a call, its rest, or what happened. */
function systemCallsOf(trace: string): ReadonlySet<string> {
  const calls = trace.matchAll(/^\d+ +(?:<\.\.\. )?([a-z]\w*)(?:\(| resumed)/gm);
  return new Set(Array.from(calls, ([, name = '']) => name));
}

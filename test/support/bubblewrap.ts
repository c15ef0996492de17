import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { beforeAll, describe, onTestFinished } from 'vitest';
import { bubblewrapProvider } from '../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { connectSandbox } from '../../src/providers/bubblewrap/bubblewrap-sandbox.ts';
import { bwrapCommand } from '../../src/providers/bubblewrap/bwrap-arguments.ts';
import { startBwrap, startLauncher } from '../../src/providers/bubblewrap/bwrap-process.ts';
import { ownerOfGroup } from '../../src/providers/bubblewrap/control-group-names.ts';
import { readMachine } from '../../src/providers/bubblewrap/machine.ts';
import { readProcesses } from '../../src/providers/bubblewrap/processes.ts';
import { assemble } from '../../src/sandbox/bpf.ts';
import { readRunnerSource, runnerCommand } from '../../src/sandbox/runner-command.ts';
import { DEFAULT_LIMITS, type ResourceLimits, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { seccompProgram } from '../../src/sandbox/seccomp-program.ts';
import { SandboxClient, specOf } from '../providers/docker/support.ts';

const availability = await bubblewrapProvider().probe();
const missing = availability.usable ? '' : `${availability.reason}. ${availability.remedy}\n`;
const absence = availability.usable
  ? /not bounded: (.*)/.exec(availability.description)?.[1]
  : missing;

/**
 * Tests that need bubblewrap. Without it they fail where `CI` is set; elsewhere they are counted as
 * skipped, and the reason is printed.
 */
export function describeWithBubblewrap(title: string, tests: () => void): void {
  const skipped = missing !== '' && !process.env['CI'];
  if (skipped) process.stderr.write(`Skipped: ${title}. bubblewrap: ${missing}`);
  describe.skipIf(skipped).each([title])('%s', () => {
    beforeAll(() => {
      if (missing !== '') throw new Error(`bubblewrap: ${missing}`);
    });
    tests();
  });
}

/** Tests that need control groups besides. Where none are to be had they are counted as skipped, and why is printed. */
export function describeWithControlGroups(title: string, tests: () => void): void {
  if (absence !== undefined) {
    process.stderr.write(`Skipped: ${title}. Control groups: ${absence}\n`);
  }
  describe.skipIf(absence !== undefined).each([title])('%s', () => {
    tests();
  });
}

/** Starts a sandbox for one test. */
export async function openSandbox(limits: Partial<ResourceLimits> = {}): Promise<SandboxClient> {
  const spec = { ...specOf('bubblewrap'), limits: { ...DEFAULT_LIMITS, ...limits } };
  const provider = bubblewrapProvider();
  onTestFinished(async () => provider.close());
  return readyClient(await provider.create(spec));
}

/** Starts a sandbox without a control group for one test, wherever that is. */
export async function openWatchedSandbox(
  limits: Partial<ResourceLimits> = {},
): Promise<SandboxClient> {
  const spec = { ...specOf('bubblewrap'), limits: { ...DEFAULT_LIMITS, ...limits } };
  const launcher = await startLauncher({ limits: spec.limits, inputCount: 1 }, 20_001);
  const command = bwrapCommand(await readMachine('0.8.0'), {
    limits: spec.limits,
    userId: launcher.userId,
    command: runnerCommand(await readRunnerSource(), spec),
  });
  const filter = assemble(seccompProgram(process.arch, ['memfd_create']));
  const bwrap = startBwrap(launcher, command, [filter]);
  return readyClient(
    connectSandbox(bwrap, { limits: spec.limits, absence: 'the test wants none' }),
  );
}

async function readyClient(sandbox: Sandbox): Promise<SandboxClient> {
  const client = new SandboxClient(sandbox);
  onTestFinished(async () => client.sandbox.close());
  const ready = await client.next();
  if (ready.kind !== 'ready') throw new Error(`The first message is ${ready.kind}.`);
  return client;
}

/** The ids outside of the processes of a sandbox, process 1 first. */
export function processesOf({ sandbox }: SandboxClient): number[] {
  const { supervisor, others } = readProcesses(Number(sandbox.id));
  return [supervisor, ...others].flatMap((process) => (process ? [process.id] : []));
}

/** The control groups that a process made for sandboxes and that are still there. */
export function groupsOf(processId: number | undefined): string[] {
  const paths = readdirSync('/sys/fs/cgroup', { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => ownerOfGroup(basename(path))?.processId === processId);
}

/** Of these processes, those that are there, ended ones that nobody asked about not counted. */
export function living(ids: readonly number[]): number[] {
  return ids.filter((id) => {
    try {
      return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));
    } catch {
      return false;
    }
  });
}

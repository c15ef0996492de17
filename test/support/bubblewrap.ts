import { readFileSync } from 'node:fs';
import { beforeAll, describe, onTestFinished } from 'vitest';
import { bubblewrapProvider } from '../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { readProcesses } from '../../src/providers/bubblewrap/processes.ts';
import type { ResourceLimits } from '../../src/sandbox/sandbox.ts';
import { DEFAULT_LIMITS } from '../../src/sandbox/sandbox.ts';
import { SandboxClient, specOf } from '../providers/docker/support.ts';

const availability = await bubblewrapProvider().probe();
const missing = availability.usable ? '' : `${availability.reason}. ${availability.remedy}\n`;

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

/** Starts a sandbox for one test. */
export async function openSandbox(limits: Partial<ResourceLimits> = {}): Promise<SandboxClient> {
  const spec = { ...specOf('bubblewrap'), limits: { ...DEFAULT_LIMITS, ...limits } };
  const client = new SandboxClient(await bubblewrapProvider().create(spec));
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

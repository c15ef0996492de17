import { readFile } from 'node:fs/promises';
import type { Sandbox, SandboxProvider } from '../../src/sandbox/sandbox.ts';

/** When the processes of sandboxes started. */
const starts = new WeakMap<Sandbox, string>();

/** A provider whose sandboxes `listLiving` can list: the id of each is that of a process. */
export function withLiving(provider: SandboxProvider): SandboxProvider {
  return {
    name: provider.name,
    languages: provider.languages,
    create: async (spec, options) => {
      const sandbox = await provider.create(spec, options);
      const start = await startOf(sandbox.id);
      if (start !== undefined) starts.set(sandbox, start);
      return sandbox;
    },
    probe: async () => provider.probe(),
    close: async () => provider.close(),
  };
}

/** Of sandboxes that a provider of `withLiving` made, those that are there. */
export async function listLiving(created: ReadonlyMap<string, Sandbox>): Promise<string[]> {
  const living: string[] = [];
  for (const sandbox of created.values()) {
    const start = starts.get(sandbox);
    // A process of the same id that started later is another: the system gives the id of one that ended again.
    if (start !== undefined && start === (await startOf(sandbox.id))) living.push(sandbox.id);
  }
  return living;
}

/** When a process started, in ticks since the system did. Undefined if it has ended. */
async function startOf(pid: string): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // After the name, which may hold anything: state is field 3 of proc(5), and the start is field 22.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return /^[ZX]$/.test(fields[0] ?? 'X') ? undefined : fields[19];
}

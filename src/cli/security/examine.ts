import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MASKED_PATHS, READ_ONLY_PATHS } from '../../sandbox/hidden-paths.ts';
import type { SecurityReport } from '../../sandbox/protection.ts';
import { DEFAULT_LIMITS, type Sandbox, type SandboxProvider } from '../../sandbox/sandbox.ts';
import { SandboxExecutor } from '../../sessions/sandbox-executor.ts';
import { sentence } from '../../shared/sentence.ts';
import { parseFacts, probeProgram, type ProbeReport } from './facts.ts';
import { HOST_VARIABLE, setHostVariable } from './host-variable.ts';
import { judgeFacts } from './judge-facts.ts';
import { securityRows, type SecurityRow } from './rows.ts';
import { unexamined } from './unexamined.ts';

/** The result of examining a sandbox from outside and inside. */
export interface Examination {
  readonly rows: readonly SecurityRow[];
  /** Weaknesses of its engine. */
  readonly notes: readonly string[];
  /** Why not everything could be observed inside. */
  readonly failure?: string;
}

/**
 * Starts a session, runs the probe in it, and asks the provider how the sandbox was created. If the
 * probe does not end, the protections that it has not examined are unknown.
 * @param provider - A provider may copy the environment when it is made, so `setHostVariable` comes
 * before that.
 * @throws PtcError as `SandboxExecutor.acquire`.
 */
export async function examine(
  provider: SandboxProvider,
  signal: AbortSignal,
): Promise<Examination> {
  let sandbox: Sandbox | undefined;
  const watched = watch(provider, (made) => (sandbox = made));
  await using executor = new SandboxExecutor({ provider: watched, limits: DEFAULT_LIMITS });
  const hostDirectory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-doctor-'));
  using _ = setHostVariable();
  try {
    // No other file has this name, wherever the probe looks for it.
    const hostFile = join(hostDirectory, randomUUID());
    await writeFile(hostFile, '');
    // Any user can reach it, so a sandbox whose programs have another user does not pass for that alone.
    await chmod(hostDirectory, 0o755);
    await chmod(hostFile, 0o644);
    const program = await probeProgram(MASKED_PATHS, READ_ONLY_PATHS, hostFile);
    await using session = await executor.acquire({ signal });
    const { status, stdout, error } = await session.execute(program, { signal });
    const report: SecurityReport = (await sandbox?.security?.()) ?? { protections: [], notes: [] };
    const { protections, notes } = report;
    const found = parseFacts(stdout);
    const expected = { limits: DEFAULT_LIMITS, hostVariable: HOST_VARIABLE };
    const observations = [
      ...judgeFacts(found.facts, expected),
      ...unexamined(found, status, protections),
    ];
    const rows = securityRows(protections, observations);
    if (found.missing.length === 0) return { rows, notes };
    return { rows, notes, failure: describeStop(found, status, error?.message) };
  } finally {
    await rm(hostDirectory, { recursive: true });
  }
}

function describeStop(
  { missing, collecting }: ProbeReport,
  status: string,
  message: string | undefined,
): string {
  const during = collecting === undefined ? '' : ` while it collected ${collecting}`;
  const why = message === undefined ? '' : `: ${message}`;
  const end = sentence(`The probe inside the sandbox ended with ${status}${during}${why}`);
  return `${end} It did not report ${missing.join(', ')}.`;
}

/** The same provider, with a callback for each sandbox that it creates. */
function watch(provider: SandboxProvider, onMade: (sandbox: Sandbox) => void): SandboxProvider {
  return {
    name: provider.name,
    languages: provider.languages,
    async create(spec, options) {
      const sandbox = await provider.create(spec, options);
      onMade(sandbox);
      return sandbox;
    },
    probe: (options) => provider.probe(options),
    close: () => provider.close(),
  };
}

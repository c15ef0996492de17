import type { ProgressListener } from '../../sandbox/sandbox.ts';
import { messageOf } from '../../shared/errors.ts';
import { type GuestFiles, readGuestFiles, SUPERVISOR_PATH } from './boot-input.ts';
import { type Command, denoCommand, type DenoLimits } from './deno-command.ts';
import type { EnginePackages } from './engine-packages.ts';
import { cacheDirectory, loadSnapshot, snapshotPath, storeSnapshot } from './snapshot-cache.ts';
import { SNAPSHOT_FORMAT } from './snapshot-format.ts';
import { makeSnapshot } from './snapshot-maker.ts';

/** What a sandbox is made of. */
export interface Ingredients {
  readonly files: GuestFiles;
  readonly snapshot: Buffer;
}

/** Enough for the interpreter and what it imports. */
const SNAPSHOT_LIMITS: DenoLimits = {
  memoryBytes: 64 * 1024 * 1024,
  temporaryStorageBytes: 16 * 1024 * 1024,
};

/**
 * Reads the files, and the snapshot or makes it: the first time on a machine, and when a version changes.
 * @param signal - Ends the making.
 * @throws PtcError `SANDBOX_START_FAILED`
 */
export async function prepareIngredients(
  packages: EnginePackages,
  onProgress: ProgressListener,
  signal: AbortSignal,
): Promise<Ingredients> {
  const files = await readGuestFiles(packages.pyodideDirectory);
  const { denoVersion, pyodideVersion } = packages;
  const key = `v${SNAPSHOT_FORMAT}-pyodide-${pyodideVersion}-deno-${denoVersion}-${files.runnerHash}`;
  const path = snapshotPath(cacheDirectory(), key);
  const stored = await loadSnapshot(path, (why) => {
    onProgress(`The Python that was prepared before is not used: ${why}.`);
  });
  if (stored !== undefined) return { files, snapshot: stored };
  onProgress('Preparing Python for the embedded sandbox, once; this takes some seconds …');
  const snapshot = await makeSnapshot(commandFor(packages, SNAPSHOT_LIMITS), files, signal);
  try {
    await storeSnapshot(path, snapshot);
  } catch (error) {
    onProgress(
      `The prepared Python is kept in memory only, since it could not be stored: ${messageOf(error)}`,
    );
  }
  return { files, snapshot };
}

/** The command that starts a supervisor on this machine. */
export function commandFor({ denoPath }: EnginePackages, limits: DenoLimits): Command {
  return denoCommand({
    denoPath,
    supervisorPath: SUPERVISOR_PATH,
    limits,
    platform: process.platform,
    systemRoot: process.env['SystemRoot'],
  });
}

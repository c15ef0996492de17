import type { ProgressListener } from '../../../sandbox/sandbox.ts';
import { messageOf } from '../../../shared/errors.ts';
import { type GuestFiles, readGuestFiles, SUPERVISOR_PATH } from '../boot-input.ts';
import { type Command, denoCommand, type DenoLimits } from '../deno/deno-command.ts';
import type { EmbeddedPackages } from '../embedded-packages.ts';
import { cacheDirectory, loadSnapshot, snapshotPath, storeSnapshot } from './snapshot-cache.ts';
import { SNAPSHOT_FORMAT } from './snapshot-format.ts';
import { makeSnapshot } from './snapshot-maker.ts';

/** The files of the guest for Python, and its memory snapshot. */
export interface PreparedPython {
  readonly files: GuestFiles;
  readonly snapshot: Buffer;
}

/** Enough for the interpreter and what it imports. */
const SNAPSHOT_LIMITS: DenoLimits = {
  memoryBytes: 64 * 1024 * 1024,
  temporaryStorageBytes: 16 * 1024 * 1024,
};

/**
 * Reads the files and the stored snapshot. If there is no snapshot, because this is the first use
 * or a version has changed, makes and stores it.
 * @param signal - Aborts the making of the snapshot.
 * @throws PtcError `SANDBOX_START_FAILED`
 */
export async function preparePython(
  packages: EmbeddedPackages,
  onProgress: ProgressListener,
  signal: AbortSignal,
): Promise<PreparedPython> {
  const files = await readGuestFiles(packages.pyodideDirectory);
  const { denoVersion, pyodideVersion } = packages;
  const key = `v${SNAPSHOT_FORMAT}-pyodide-${pyodideVersion}-deno-${denoVersion}-${files.runnerHash}`;
  const path = snapshotPath(cacheDirectory(), key);
  const stored = await loadSnapshot(path, (why) => {
    onProgress(`The stored snapshot of Python is not used: ${why}.`);
  });
  if (stored !== undefined) return { files, snapshot: stored };
  onProgress(
    'Preparing Python for the embedded sandbox. This happens once, and takes a few seconds.',
  );
  const snapshot = await makeSnapshot(commandFor(packages, SNAPSHOT_LIMITS), files, signal);
  try {
    await storeSnapshot(path, snapshot);
  } catch (error) {
    onProgress(
      `The snapshot of Python could not be stored, so the next process makes it again: ${messageOf(error)}`,
    );
  }
  return { files, snapshot };
}

/** The command that starts a supervisor on this machine. */
export function commandFor({ denoPath }: EmbeddedPackages, limits: DenoLimits): Command {
  return denoCommand({
    denoPath,
    supervisorPath: SUPERVISOR_PATH,
    limits,
    platform: process.platform,
    systemRoot: process.env['SystemRoot'],
  });
}

import { createHash } from 'node:crypto';
import type { ProgressListener } from '../../../sandbox/sandbox.ts';
import { messageOf } from '../../../shared/errors.ts';
import { type GuestFiles, readGuestFiles, snapshotInput, SUPERVISOR_PATH } from '../boot-input.ts';
import { type Command, denoCommand, type DenoLimits } from '../deno/deno-command.ts';
import { type ReadWheel, readWheels, type Wheel } from '../wheels.ts';
import type { EmbeddedPackages } from '../embedded-packages.ts';
import { cacheDirectory, loadSnapshot, snapshotPath, storeSnapshot } from './snapshot-cache.ts';
import { SNAPSHOT_FORMAT } from './snapshot-format.ts';
import { makeSnapshot } from './snapshot-maker.ts';

/** The files of the guest for Python, and its memory snapshot. */
export interface PreparedPython {
  readonly files: GuestFiles;
  readonly snapshot: Buffer;
}

/** Options of `preparePython`. */
export interface PrepareOptions {
  readonly onProgress: ProgressListener;
  readonly signal: AbortSignal;
  /** Libraries that the snapshot contains. */
  readonly wheels: readonly Wheel[] | undefined;
}

/** How much a wheel may need of memory for each of its bytes: unpacked, compiled, and as files. */
const BYTES_UNPACKED = 16;

const NO_HOME = 'this user has no home directory. Set HOME or XDG_CACHE_HOME.';

/** Enough for the interpreter and what it imports. */
const SNAPSHOT_LIMITS: DenoLimits = {
  memoryBytes: 64 * 1024 * 1024,
  temporaryStorageBytes: 16 * 1024 * 1024,
};

/**
 * Reads the files and the stored snapshot. If there is no snapshot, because this is the first use
 * or a version has changed, makes and stores it.
 * @param options.signal - Aborts the making of the snapshot.
 * @throws PtcError `SANDBOX_START_FAILED`, or `OPTION_INVALID` for a wheel that cannot be used.
 */
export async function preparePython(
  packages: EmbeddedPackages,
  { onProgress, signal, wheels: given }: PrepareOptions,
): Promise<PreparedPython> {
  const wheels = await readWheels(given);
  const files = await readGuestFiles(packages.pyodideDirectory);
  const { denoVersion, pyodideVersion } = packages;
  const key = `v${SNAPSHOT_FORMAT}-pyodide-${pyodideVersion}-deno-${denoVersion}-${files.runnerHash}${hashOf(wheels)}`;
  const directory = cacheDirectory();
  const path = directory && snapshotPath(directory, key);
  const onRefusal = (why: string): void =>
    onProgress(`The stored snapshot of Python is not used: ${why}.`);
  const stored = path === undefined ? undefined : await loadSnapshot(path, onRefusal);
  if (stored !== undefined) return { files, snapshot: stored };
  onProgress(
    'Preparing Python for the embedded sandbox. This happens once, and takes a few seconds.',
  );
  const command = commandFor(packages, limitsFor(wheels));
  const snapshot = await makeSnapshot(command, snapshotInput(files, wheels), signal);
  const why =
    path === undefined
      ? NO_HOME
      : await storeSnapshot(path, snapshot).then(() => undefined, messageOf);
  if (why !== undefined) {
    onProgress(
      `The snapshot of Python could not be stored, so the next process makes it again: ${why}`,
    );
  }
  return { files, snapshot };
}

/** The part of a snapshot's name for its libraries. */
function hashOf(wheels: readonly ReadWheel[]): string {
  if (wheels.length === 0) return '';
  const names = wheels.map(({ fileName, sha256 }) => `${fileName} ${sha256}`);
  return `-${createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 16)}`;
}

function limitsFor(wheels: readonly ReadWheel[]): DenoLimits {
  const packed = wheels.reduce((sum, { content }) => sum + content.length, 0);
  const memoryBytes = SNAPSHOT_LIMITS.memoryBytes + packed * BYTES_UNPACKED;
  return { ...SNAPSHOT_LIMITS, memoryBytes };
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

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { seccompProfile } from './seccomp-profile.ts';

/**
 * Writes the seccomp profile to a file for Podman, which reads it from a file of the machine and
 * not from the request. The directory is new, so that no other user can have prepared it.
 * @returns The path, for `removeSeccompFile`.
 */
export async function writeSeccompFile(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-'));
  const path = join(directory, 'seccomp.json');
  await writeFile(path, JSON.stringify(seccompProfile()));
  return path;
}

export async function removeSeccompFile(path: string): Promise<void> {
  await rm(dirname(path), { recursive: true, force: true });
}

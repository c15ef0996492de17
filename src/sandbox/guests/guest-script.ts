import { readFile } from 'node:fs/promises';
import { readOwnFiles } from '../../shared/installation.ts';

/** The same from `src` and from `dist`. */
const DIRECTORY = new URL('../../../dist/guests/', import.meta.url);

/**
 * Reads the script of a guest. `scripts/build-guests.mjs` makes it of the guest's modules.
 * @throws PtcError `INSTALLATION_INCOMPLETE`
 */
export async function readGuestScript(
  name: 'node.cjs' | 'deno.mjs' | 'python.mjs',
): Promise<string> {
  return readOwnFiles(async () => readFile(new URL(name, DIRECTORY), 'utf8'));
}

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { PtcError } from '../errors.ts';

const FILE = '/proc/sys/kernel/random/boot_id';

const FORM = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

let known: Promise<string> | undefined;

/**
 * What the Linux kernel of this process calls its current boot, the same for all its processes.
 * Undefined on other systems.
 * @throws PtcError `NAMES_UNAVAILABLE` if it cannot be read. Another source would let processes that
 *   can read it and processes that cannot hold the same name.
 */
export async function bootId(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  known ??= read().catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  return known;
}

async function read(): Promise<string> {
  try {
    return checked(await readFile(FILE, 'utf8'));
  } catch {
    return readByShell();
  }
}

/** Deno lets a process read `/proc` only with `--allow-all`; a shell is not bound by that. */
async function readByShell(): Promise<string> {
  try {
    const script = `read -r id < ${FILE} && echo "$id"`;
    return checked((await promisify(execFile)('/bin/sh', ['-c', script], { env: {} })).stdout);
  } catch (cause) {
    throw new PtcError(
      'NAMES_UNAVAILABLE',
      `Processes of this machine cannot tell each other which names they hold, such as keys of sessions: ${FILE}, which identifies the machine, can be read neither directly nor by /bin/sh. Mount /proc. If this process runs in Deno, give it --allow-run=/bin/sh or --allow-all.`,
      { cause, details: { file: FILE } },
    );
  }
}

function checked(text: string): string {
  const id = text.trim();
  if (FORM.test(id)) return id;
  throw new Error(`${FILE} has ${JSON.stringify(id.slice(0, 100))} instead of an id.`);
}

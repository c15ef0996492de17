import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJavascriptModules } from '../../sandbox/javascript-guest.ts';
import type { GuestModules } from '../../sandbox/javascript-script.ts';
import type { GuestWorker } from './boot-input.ts';

const BYTE_RING = fileURLToPath(new URL('../../../runner/embedded/byte-ring.mjs', import.meta.url));
const ENTRY = 'deno/main.mjs';

/** The guest that runs JavaScript and TypeScript as Deno itself does. */
export async function javascriptWorker(): Promise<GuestWorker> {
  const modules = await readJavascriptModules();
  const byteRing = { [join('embedded', basename(BYTE_RING))]: await readFile(BYTE_RING, 'utf8') };
  return {
    languages: ['typescript', 'javascript'],
    modules: inImportOrder({ ...modules, ...byteRing }, ENTRY),
  };
}

/** A module and all that it imports, by file name, each after those that it imports itself. */
function inImportOrder(modules: GuestModules, entry: string): Record<string, string> {
  const byName = new Map(Object.entries(modules));
  // Of two files of one name, the entry's is meant by nobody but the entry.
  const pathOf = new Map(
    [...byName.keys()].filter((path) => path !== entry).map((path) => [nameOf(path), path]),
  );
  const ordered = new Map<string, string>();
  const add = (path: string): void => {
    const source = byName.get(path) ?? '';
    for (const [, specifier = ''] of source.matchAll(
      /^(?:import|\}) [^'"]*?from ['"](.+?)['"]/gm,
    )) {
      const imported = pathOf.get(nameOf(specifier));
      if (imported !== undefined && !ordered.has(nameOf(imported))) add(imported);
    }
    ordered.set(nameOf(path), source);
  };
  add(entry);
  return Object.fromEntries(ordered);
}

/** A package is known by its whole name. */
function nameOf(path: string): string {
  return path.endsWith('.mjs') ? basename(path) : path;
}

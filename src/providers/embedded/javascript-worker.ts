import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOwnFiles } from '../../shared/installation.ts';
import { readJavascriptModules } from '../../sandbox/javascript-guest.ts';
import type { GuestModules } from '../../sandbox/javascript-script.ts';
import type { GuestWorker } from './boot-input.ts';

const EMBEDDED = fileURLToPath(new URL('../../../runner/embedded/', import.meta.url));
/** What it shares with the supervisor. */
const LINK_MODULES = ['byte-ring.mjs', 'link.mjs'];
const ENTRY = 'deno/main.mjs';

/** The guest that runs JavaScript and TypeScript as Deno itself does. */
export async function javascriptWorker(): Promise<GuestWorker> {
  const modules = await readJavascriptModules();
  const link = await readOwnFiles(async () =>
    Promise.all(
      LINK_MODULES.map(
        async (name) =>
          [join('embedded', name), await readFile(join(EMBEDDED, name), 'utf8')] as const,
      ),
    ),
  );
  return {
    languages: ['typescript', 'javascript'],
    modules: inImportOrder({ ...modules, ...Object.fromEntries(link) }, ENTRY),
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

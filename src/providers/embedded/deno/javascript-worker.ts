import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOwnFiles } from '../../../shared/installation.ts';
import { readJavascriptModules } from '../../../sandbox/guests/javascript-guest.ts';
import type { GuestModules } from '../../../sandbox/guests/javascript-script.ts';
import type { GuestWorker } from '../boot-input.ts';

const EMBEDDED = fileURLToPath(new URL('../../../../runner/embedded/', import.meta.url));
/** The modules for the connection to the supervisor. */
const LINK_MODULES = ['byte-ring.mjs', 'link.mjs'];
const ENTRY = 'deno/main.mjs';

/** The guest for JavaScript and TypeScript, which runs in a worker of Deno. */
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

/**
 * Returns a module and all modules that it imports, by file name, each after the modules that it
 * imports.
 */
function inImportOrder(modules: GuestModules, entry: string): Record<string, string> {
  const byName = new Map(Object.entries(modules));
  // The entry may have the same file name as another module. Imports never mean the entry.
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

/** Packages have their full names. */
function nameOf(path: string): string {
  return path.endsWith('.mjs') ? basename(path) : path;
}

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../shared/errors.ts';
import { UsageError } from '../failure.ts';

/**
 * Loads the default export of a module that the command line names.
 * @throws UsageError if there is no such file, or if it cannot be loaded.
 */
export async function importDefault(path: string): Promise<unknown> {
  const { default: exported } = await importModule(path);
  return exported;
}

/** Loads a module that the command line names. @throws UsageError as `importDefault`. */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  if (!existsSync(path)) throw new UsageError(`${path} cannot be loaded: there is no such file.`);
  try {
    const module: Readonly<Record<string, unknown>> = await import(
      pathToFileURL(resolve(path)).href
    );
    return module;
  } catch (cause) {
    throw new UsageError(`${path} cannot be loaded: ${messageOf(cause)}`, { cause });
  }
}

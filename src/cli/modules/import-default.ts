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
  if (!existsSync(path)) throw new UsageError(`${path} cannot be loaded: there is no such file.`);
  try {
    const module: { readonly default?: unknown } = await import(pathToFileURL(resolve(path)).href);
    return module.default;
  } catch (cause) {
    throw new UsageError(`${path} cannot be loaded: ${messageOf(cause)}`, { cause });
  }
}

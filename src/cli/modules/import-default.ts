import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createDeferred } from '../../shared/async/deferred.ts';
import { messageOf } from '../../shared/errors.ts';
import { UsageError } from '../failure.ts';

type Exports = Readonly<Record<string, unknown>>;

/**
 * Loads the default export of a module that the command line names.
 * @throws UsageError if there is no such file, or if it cannot be loaded.
 */
export async function importDefault(path: string): Promise<unknown> {
  const { default: exported } = await importModule(path);
  return exported;
}

/** Loads a module that the command line names. @throws UsageError as `importDefault`. */
export async function importModule(path: string): Promise<Exports> {
  if (!existsSync(path)) throw new UsageError(`${path} cannot be loaded: there is no such file.`);
  try {
    return await whileSomethingRuns(import(pathToFileURL(resolve(path)).href));
  } catch (cause) {
    throw new UsageError(`${path} cannot be loaded: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Waits for a module. Node would end the process, without a word, if the module waits for something
 * that cannot happen because nothing runs any more.
 * @throws Error then, and what the module throws.
 */
async function whileSomethingRuns(loading: Promise<Exports>): Promise<Exports> {
  const idle = createDeferred<never>();
  const onIdle = (): void => {
    const why = 'its top-level await waits for something that never happens. Correct the module.';
    idle.reject(new Error(why));
  };
  process.once('beforeExit', onIdle);
  try {
    return await Promise.race([loading, idle.promise]);
  } finally {
    process.off('beforeExit', onIdle);
  }
}

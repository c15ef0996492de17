import { readFileSync } from 'node:fs';
import { messageOf, PtcError } from './errors.ts';

const PACKAGE_NAME = 'sandboxed-ptc';

const REMEDY =
  `If the program is bundled, mark ${PACKAGE_NAME} as external and have it installed beside the bundle: ` +
  `--external:${PACKAGE_NAME} or --packages=external for esbuild, serverExternalPackages: ['${PACKAGE_NAME}'] for Next.js. ` +
  'Otherwise install it again, with all of its dependencies.';

/** What Node says of a module that is not there, or not as it was published. */
const LOAD_FAILURES: ReadonlySet<unknown> = new Set([
  'ERR_MODULE_NOT_FOUND',
  'MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_DLOPEN_FAILED',
]);

checkPlace();

/**
 * Loads a package that this one depends on.
 * @throws PtcError `INSTALLATION_INCOMPLETE`
 */
export function loadDependency<Module>(load: () => Module): Module {
  try {
    return load();
  } catch (error) {
    throw incomplete('A package that it needs cannot be loaded', error);
  }
}

/**
 * Reads files that come with this package.
 * @throws PtcError `INSTALLATION_INCOMPLETE`
 */
export async function readOwnFiles<Content>(read: () => Promise<Content>): Promise<Content> {
  try {
    return await read();
  } catch (error) {
    throwIfIncomplete(error);
    throw incomplete('A file of its own cannot be read', error);
  }
}

/** @throws PtcError the error itself, if it is `INSTALLATION_INCOMPLETE`: it says nothing about what was to be done. */
export function throwIfIncomplete(error: unknown): void {
  if (PtcError.isInstance(error) && error.code === 'INSTALLATION_INCOMPLETE') throw error;
}

/**
 * For errors of packages that talk to something outside, such as an engine, and run no code of a user: those that only
 * code without its parts has say nothing about what is outside.
 * @throws PtcError `INSTALLATION_INCOMPLETE`
 */
export function throwIfLoadFailure(error: unknown): void {
  throwIfIncomplete(error);
  if (!(error instanceof Error)) return;
  // `__dirname` and the like are missing if a bundler made a module of a script.
  const isMissing = error instanceof ReferenceError;
  const isUnloadable = 'code' in error && LOAD_FAILURES.has(error.code);
  if (isMissing || isUnloadable) throw incomplete('Code cannot be loaded', error);
}

/**
 * Modules of this package find its other files and its dependencies from their own places, which they do not have in a
 * bundle. This is looked at before any of them does so: what fails then would name something else.
 * @throws PtcError `INSTALLATION_INCOMPLETE`
 */
function checkPlace(): void {
  // Empty in a bundle that is a script.
  const url: string | undefined = import.meta.url;
  let name: unknown;
  let cause: unknown;
  try {
    const text = readFileSync(new URL('../../package.json', url), 'utf8');
    ({ name } = JSON.parse(text) as { name?: unknown });
  } catch (error) {
    cause = error;
  }
  if (name === PACKAGE_NAME) return;
  throw new PtcError(
    'INSTALLATION_INCOMPLETE',
    `${PACKAGE_NAME} does not run from where it was installed, but from ${url ?? 'a bundle'}, and cannot find its files there. ${REMEDY}`,
    { cause, details: { url } },
  );
}

function incomplete(what: string, cause: unknown): PtcError {
  // Node adds the modules that asked for it.
  const [reason] = messageOf(cause).split('\n');
  return new PtcError(
    'INSTALLATION_INCOMPLETE',
    `The installation of ${PACKAGE_NAME} is not complete. ${what}: ${reason}. ${REMEDY}`,
    { cause },
  );
}

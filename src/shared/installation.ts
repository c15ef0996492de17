import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { messageOf, PtcError } from './errors.ts';

const PACKAGE_NAME = 'sandboxed-ptc';

const REMEDY =
  `If your application is bundled, mark ${PACKAGE_NAME} as external and install it beside the bundle: ` +
  `--external:${PACKAGE_NAME} or --packages=external for esbuild, serverExternalPackages: ['${PACKAGE_NAME}'] for Next.js. ` +
  'Otherwise, install it again, with all its dependencies.';

/** The codes of Node's errors for a module that is missing or incomplete. */
const LOAD_FAILURES: ReadonlySet<unknown> = new Set([
  'ERR_MODULE_NOT_FOUND',
  'MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_DLOPEN_FAILED',
]);

checkPlace();

/** Whether an optional package is installed. */
export function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Loads a package that this one depends on.
 * @throws PtcError `INSTALLATION_INCOMPLETE`
 */
export function loadDependency<Module>(load: () => Module): Module {
  try {
    return load();
  } catch (error) {
    throw incomplete('A package that it depends on cannot be loaded', error);
  }
}

/**
 * Reads files of this package.
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

/**
 * Rethrows an error that says that the installation is incomplete, because it says nothing about
 * the operation that failed.
 * @throws PtcError `INSTALLATION_INCOMPLETE`
 */
export function throwIfIncomplete(error: unknown): void {
  if (PtcError.isInstance(error) && error.code === 'INSTALLATION_INCOMPLETE') throw error;
}

/**
 * For errors of packages that talk to something outside, such as an engine, and run no code of a
 * user. An error that means that code is missing says nothing about what is outside.
 * @throws PtcError `INSTALLATION_INCOMPLETE`
 */
export function throwIfLoadFailure(error: unknown): void {
  throwIfIncomplete(error);
  if (!(error instanceof Error)) return;
  // A bundler that turns a script into a module leaves `__dirname` and its kin undefined.
  const isMissing = error instanceof ReferenceError;
  const isUnloadable = 'code' in error && LOAD_FAILURES.has(error.code);
  if (isMissing || isUnloadable) throw incomplete('Code cannot be loaded', error);
}

/**
 * Modules of this package find its other files and its dependencies by their own location, which a
 * bundle changes. This is checked first: an error in a later step would name something else.
 * @throws PtcError `INSTALLATION_INCOMPLETE`
 */
function checkPlace(): void {
  // Undefined in a bundle that is a script.
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
    `${PACKAGE_NAME} does not run from the place where it was installed, but from ${url ?? 'a bundle'}, and cannot find its files there. ${REMEDY}`,
    { cause, details: { url } },
  );
}

function incomplete(what: string, cause: unknown): PtcError {
  // Node's further lines list the modules that required it.
  const [reason] = messageOf(cause).split('\n');
  return new PtcError(
    'INSTALLATION_INCOMPLETE',
    `The installation of ${PACKAGE_NAME} is not complete. ${what}: ${reason}. ${REMEDY}`,
    { cause },
  );
}

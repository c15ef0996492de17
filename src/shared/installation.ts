import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { messageOf, PtcError } from './errors.ts';

const PACKAGE_NAME = 'sandboxed-ptc';

const REMEDY =
  `If your application is bundled, mark ${PACKAGE_NAME} as external and install it beside the bundle: ` +
  `--external:${PACKAGE_NAME} or --packages=external for esbuild, serverExternalPackages: ['${PACKAGE_NAME}'] for Next.js. ` +
  'Otherwise, install it again, with all its dependencies.';

const DENO_REMEDY =
  'Run Deno with --allow-read, and the other permissions that docs/sandboxes.md lists.';

const ACCESS_REMEDY = `Let the user of this process read the directory in which ${PACKAGE_NAME} is installed.`;

/** The codes of Node's errors for a module that is missing or incomplete. */
const LOAD_FAILURES: ReadonlySet<unknown> = new Set([
  'ERR_MODULE_NOT_FOUND',
  'MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_DLOPEN_FAILED',
]);

/** The codes of the system if the process, or the whole machine, can open no more files. */
const OUT_OF_FILES: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

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
 * Reads files of this package, which a sandbox needs to start.
 * @throws PtcError `INSTALLATION_INCOMPLETE`, or `SANDBOX_START_FAILED` if this process can open no more
 * files.
 */
export async function readOwnFiles<Content>(read: () => Promise<Content>): Promise<Content> {
  try {
    return await read();
  } catch (error) {
    throwIfIncomplete(error);
    if (isOutOfFiles(error)) {
      throw new PtcError(
        'SANDBOX_START_FAILED',
        `A file of ${PACKAGE_NAME} cannot be opened, because too many files are open: ${messageOf(error)}. Raise the limit of this process (ulimit -n), or have it open fewer files.`,
        { cause: error },
      );
    }
    throw incomplete('A file of its own cannot be read', error);
  }
}

function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && 'code' in error && OUT_OF_FILES.has(error.code);
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
  let cause: unknown;
  try {
    const text = readFileSync(new URL('../../package.json', url), 'utf8');
    if ((JSON.parse(text) as { name?: unknown }).name === PACKAGE_NAME) return;
  } catch (error) {
    cause = error;
  }
  throw wrongPlace(url, cause);
}

/**
 * The error if this module does not find the package around it.
 * @param url - Where it runs; undefined in a bundle that is a script.
 * @param cause - Why the package's file cannot be read, if it cannot.
 */
export function wrongPlace(url: string | undefined, cause: unknown): PtcError {
  const remedy = remedyOf(cause);
  const what =
    remedy === REMEDY
      ? `does not run from the place where it was installed, but from ${url ?? 'a bundle'}, and cannot find its files there`
      : `cannot read its package.json: ${messageOf(cause)}`;
  return new PtcError('INSTALLATION_INCOMPLETE', `${PACKAGE_NAME} ${what}. ${remedy}`, {
    cause,
    details: { url },
  });
}

/** What to do about an error in reading a file of the package. */
function remedyOf(error: unknown): string {
  if (!(error instanceof Error)) return REMEDY;
  if (error.name === 'NotCapable') return DENO_REMEDY;
  const isRefused = 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
  return isRefused ? ACCESS_REMEDY : REMEDY;
}

function incomplete(what: string, cause: unknown): PtcError {
  // Node's further lines list the modules that required it.
  const [reason] = messageOf(cause).split('\n');
  return new PtcError(
    'INSTALLATION_INCOMPLETE',
    `The installation of ${PACKAGE_NAME} is not complete. ${what}: ${reason}. ${remedyOf(cause)}`,
    { cause },
  );
}

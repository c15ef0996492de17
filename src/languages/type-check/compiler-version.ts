import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PtcError } from '../../shared/errors.ts';

const OLDEST = [5, 5] as const;
/** From this major version on, the package is a program without a library. */
const FIRST_WITHOUT_LIBRARY = 7;

/**
 * The installed version of the package `typescript`; undefined if it is not installed. Does not
 * load the package.
 */
export function installedCompiler(): string | undefined {
  try {
    const file = createRequire(import.meta.url).resolve('typescript/package.json');
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
    return version;
  } catch {
    return undefined;
  }
}

/** @throws PtcError `TYPE_CHECKER_MISSING` for a version that cannot check programs. */
export function refuseCompiler(version: string | undefined): void {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const isNewEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  if (isNewEnough && major < FIRST_WITHOUT_LIBRARY) return;
  const found = version === undefined ? 'is not installed' : `is ${version}`;
  throw new PtcError(
    'TYPE_CHECKER_MISSING',
    `checkTypes needs the package typescript, ${OLDEST.join('.')} or newer and older than ${FIRST_WITHOUT_LIBRARY}; it ${found}. Run: npm install typescript@6`,
    { details: { version } },
  );
}

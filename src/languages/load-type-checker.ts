import type { ProgramChecker } from './program-checker.ts';
import { installedCompiler, refuseCompiler } from './type-check/compiler-version.ts';

/**
 * Loads the type check, which only executors with `checkTypes` need.
 * @param onProgress - Called with messages about programs that could not be checked.
 * @param onlyWarns - Whether programs run whatever it finds.
 * @throws PtcError `TYPE_CHECKER_MISSING`, before it returns a promise.
 */
// oxlint-disable-next-line typescript/promise-function-async -- an async function would reject, and a constructor that calls this has to throw
export function loadTypeChecker(
  onProgress: ((message: string) => void) | undefined,
  onlyWarns: boolean,
): Promise<ProgramChecker> {
  refuseCompiler(installedCompiler());
  return import('./type-check/type-checker.ts').then(
    ({ TypeChecker }) => new TypeChecker(onProgress, onlyWarns),
  );
}

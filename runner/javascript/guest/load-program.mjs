/** Makes a program ready to run: its scripts, and the names that it declares. */

import { returnChanges } from './built-ins.mjs';
import { withPosition } from './errors/failures.mjs';
import { declare } from './names/global-names.mjs';

/**
 * Compiles a program and defines its functions.
 * @param {import('./errors/failures.mjs').FailedProgram} program - Gets the columns of its scripts.
 * @param {import('./platform.d.ts').Platform} platform
 * @param {object} options - Those of `compileProgram`.
 * @returns The function that runs its statements.
 */
export function loadProgram(program, platform, options) {
  const compiled = platform.compileProgram(program.code, options);
  program.originalColumn = compiled.originalColumn;
  program.columnOffset = compiled.mainColumnOffset;
  for (const name of compiled.names) declare(name, compiled.lexicalNames.has(name));
  returnChanges();
  const evaluate = (text, columnOffset) => {
    try {
      return platform.evaluate(text, program.filename, columnOffset);
    } catch (error) {
      throw withPosition(error, program, columnOffset);
    }
  };
  if (compiled.functions !== '') evaluate(compiled.functions, compiled.functionsColumnOffset);
  return evaluate(compiled.main, compiled.mainColumnOffset);
}

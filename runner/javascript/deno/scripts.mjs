/** Runs the text of a program as a script. */

import { Script } from 'node:vm';

const { apply, get, setPrototypeOf } = Reflect;
const runInThisContext = get(Script.prototype, 'runInThisContext');

/**
 * Deno assigns properties to its scripts. If scripts inherited from `Object.prototype`, a setter
 * that a program put there would be called with the script, whose class can make code from any
 * text.
 */
class ProgramScript extends Script {}
setPrototypeOf(ProgramScript.prototype, null);

/**
 * @param {(specifier: string) => Promise<object>} importForProgram - Called when the script imports
 * a module.
 */
export function evaluate(text, filename, columnOffset, importForProgram) {
  // A program must not supply the options that are not given.
  const options = {
    __proto__: null,
    filename,
    columnOffset,
    importModuleDynamically: importForProgram,
  };
  return apply(runInThisContext, new ProgramScript(text, options), [{ __proto__: null }]);
}

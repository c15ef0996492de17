/** Runs the text of a program as a script. */

import { Script } from 'node:vm';

const { apply, get, setPrototypeOf } = Reflect;
const runInThisContext = get(Script.prototype, 'runInThisContext');

/**
 * Deno gives its scripts properties by assignment. If they inherited from `Object.prototype`, a setter that a
 * program put there would be called with the script, whose class makes code of any text.
 */
class ProgramScript extends Script {}
setPrototypeOf(ProgramScript.prototype, null);

/** @param {(specifier: string) => Promise<object>} importForProgram - The callback by which the script imports. */
export function evaluate(text, filename, columnOffset, importForProgram) {
  // Nor may a program be asked for the options that are not given.
  const options = {
    __proto__: null,
    filename,
    columnOffset,
    importModuleDynamically: importForProgram,
  };
  return apply(runInThisContext, new ProgramScript(text, options), [{ __proto__: null }]);
}

/** Compiles a program into scripts whose top-level names outlive them, as in a REPL. */

import { markAliases } from './typescript/aliases.mjs';
import { blanked, Edits } from './edits.mjs';
import { Globals } from './top-level/globals.mjs';
import { rewriteImportMeta } from './import-meta.mjs';
import { parseProgram } from './parser.mjs';
import { nestedTooDeeply } from './stack.mjs';
import { StatementValues } from './top-level/statement-values.mjs';
import { TopLevel } from './top-level/top-level.mjs';
import { Types } from './typescript/types.mjs';

const STRICT = "'use strict';";
const HASHBANG = /^#!.*/;
/** Matches programs that may use `arguments`, which only an arrow function does not have. */
const MAY_USE_ARGUMENTS = /\b(?:arguments|eval)\b|\\u/;

/**
 * @typedef {object} Program
 * @property {string} functions A strict script with only the functions that the program declares at
 * top level, or ''. Run first, in the global scope, it makes them global and hoisted.
 * @property {number} functionsColumnOffset The `columnOffset` for that script.
 * @property {string} main A strict script whose value is an async function `(constant, watch,
 * withoutEffect)` with the rest of the program as its body, which must get the global object as
 * `this`. It calls `constant(name)` as soon as a top-level constant or import has its value, and
 * `watch(…values)`, which returns the last value, with the values of expression statements.
 * `withoutEffect(method, value)` returns the value that the program returns instead of the value of
 * a method.
 * @property {number} mainColumnOffset The `columnOffset` for that script.
 * @property {readonly string[]} names The names that the program declares at top level, except
 * functions. Each must be a writable property of the global object before the function of `main` is
 * called.
 * @property {ReadonlySet<string>} lexicalNames Those of `names` that must not be read before they
 * are declared.
 * @property {boolean} hasValue Whether the function returns a value: that of the last statement
 * that is not a definition, if it is an expression that is not only for its effect, or of a `return`
 * at top level. As in any async function, a promise is awaited.
 * @property {(line: number, column: number) => number} originalColumn The column in the program's
 * own text of a position in either script, after `columnOffset` was applied; all from 1. Lines are
 * the same in all three.
 */

/**
 * @param {string} code
 * @param {object} options
 * @param {boolean} options.typescript
 * @param {ReadonlyMap<string, readonly string[]>} [options.toolsOf] The identifiers of the tools in
 * each namespace.
 * @returns {Program}
 * @throws {SyntaxError} With `line` and `column` of the program's text, both from 1. The parser may
 * accept a program that is nested too deeply for the rest, and then the error has neither.
 */
export function compileProgram(code, options) {
  try {
    return compile(code, options);
  } catch (error) {
    throw nestedTooDeeply(error);
  }
}

function compile(code, { typescript, toolsOf = new Map() }) {
  const { statements, hasTypes } = parseProgram(code, typescript);
  const edits = new Edits(code);
  const hashbang = HASHBANG.exec(code);
  if (hashbang !== null) {
    edits.blank(0, hashbang[0].length);
  }
  const globals = new Globals(code, edits, toolsOf);
  rewriteImportMeta(statements, code, edits);
  if (hasTypes) markAliases(statements);
  const types = hasTypes ? new Types(code, edits) : null;
  types?.statements(statements);
  const values = new StatementValues(code, edits);
  const topLevel = new TopLevel(code, edits, { globals, values, types });
  topLevel.rewrite(statements);
  const edited = edits.apply();
  const { functions, main } = apart(edited, topLevel.functions);
  const parameters = [globals.constant, values.watch, values.withoutEffect, values.shown];
  // V8 compiles a function in parentheses at once, but reads an arrow function twice.
  const [head, end] = MAY_USE_ARGUMENTS.test(code)
    ? [`async(${parameters.join()})=>`, '']
    : [`(async function(${parameters.join()})`, ')'];
  const mainStart = `${STRICT}${head}{`;
  return {
    functions: functions === '' ? '' : STRICT + functions,
    functionsColumnOffset: -STRICT.length,
    main: `${mainStart}${main}\n;return ${values.shown}}${end}`,
    mainColumnOffset: -mainStart.length,
    names: [...globals.names],
    lexicalNames: globals.lexicalNames,
    hasValue: topLevel.hasValue,
    originalColumn: (line, column) => edited.originalColumn(line, column),
  };
}

/**
 * Returns the text of the functions and the text of the rest, each with spaces in place of the
 * other.
 */
function apart(edited, nodes) {
  if (nodes.length === 0) {
    return { functions: '', main: edited.text };
  }
  const functions = [];
  const main = [];
  let done = 0;
  for (const { start, end } of nodes) {
    const before = edited.text.slice(done, edited.startOf(start));
    done = edited.endOf(end);
    const text = edited.text.slice(edited.startOf(start), done);
    functions.push(blanked(before), text);
    main.push(before, blanked(text));
  }
  main.push(edited.text.slice(done));
  return { functions: functions.join(''), main: main.join('') };
}

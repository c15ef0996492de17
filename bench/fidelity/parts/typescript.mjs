// TypeScript's own cases: programs that must mean the same, whether this package removes the types
// or the compiler does.

import { Parser } from 'acorn';
import vm from 'node:vm';
import { compileProgram } from '../../../runner/javascript/compile/program.mjs';
import { inRepository } from '../suites.mjs';
import { inSteps } from './steps.mjs';
import { casePaths, CASES, readCase } from './typescript-cases.mjs';
import { observe } from './typescript-runs.mjs';

const SAME = 'the same';

/** @type {import('./parts.mjs').Part} */
export const typescript = {
  name: 'typescript',
  languages: [],
  what: "TypeScript's own cases, against tsc, in this process",
  known: ['typescript'],
  unit: 'cases',
  minutes: {},
  // The cases only. TypeScript's own repository has gigabytes of other files.
  find: inRepository({
    directory: 'stc',
    needs: `${CASES}/compiler`,
    address: 'https://github.com/dudykr/stc',
    commit: '34abe15fab75bd28122be339d739980cd2312d49',
    folders: [CASES],
  }),
  async *run({ suite, isChosen }) {
    // Observed programs leave rejected promises.
    const ignore = () => undefined;
    process.on('unhandledRejection', ignore);
    try {
      yield* inSteps(casePaths(suite).filter(isChosen), async (id) => {
        // Node reports rejections, and receives signals, when it has nothing else to do.
        await new Promise(setImmediate);
        return compareCase(suite, id);
      });
      await new Promise(setImmediate);
    } finally {
      process.off('unhandledRejection', ignore);
    }
  },
};

/** The outcome of a case, or none if it is not a program that can be compared. */
function compareCase(suite, id) {
  const found = readCase(suite, id);
  if (found === undefined) return [];
  const plain = compile(found.javascript, false);
  if (plain.failure !== undefined) return [];
  const sandbox = difference(plain, compile(found.code, true));
  // Code that is not TypeScript need not be accepted, and may become anything.
  if (sandbox !== SAME && !found.isCorrect()) return [];
  return [{ id, plain: SAME, sandbox }];
}

/** The program as V8 compiles it, with its syntax tree, or why our parser or V8 rejects it. */
function compile(code, isTypeScript) {
  try {
    const program = compileProgram(code, { typescript: isTypeScript });
    return {
      ...program,
      functions: new vm.Script(program.functions),
      main: new vm.Script(program.main),
      tree: treeOf(program),
    };
  } catch (error) {
    return { failure: `${error.name}: ${error.message}` };
  }
}

function difference(plain, own) {
  if (own.failure !== undefined) return own.failure;
  if (plain.tree === own.tree) return SAME;
  const [before, after] = [observe(plain), observe(own)];
  if (before === after) return SAME;
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const part = (text) => text.slice(Math.max(0, at - 30), at + 50);
  return `runs otherwise: ${part(after)}, not ${part(before)}`;
}

/** The syntax tree of the executed code, without positions. */
function treeOf({ functions, main, names, hasValue }) {
  const trees = [functions, main].map((script) => Parser.parse(script, { ecmaVersion: 'latest' }));
  const isNoPosition = (key) => !['start', 'end', 'raw'].includes(key);
  const withoutPositions = (key, value) => (isNoPosition(key) ? value : undefined);
  return JSON.stringify([trees, [...names].sort(compareText), hasValue], (key, value) =>
    typeof value === 'bigint' ? String(value) : withoutPositions(key, value),
  );
}

function compareText(a, b) {
  return a < b ? -1 : 1;
}

// TypeScript's own cases: programs that mean the same whether this project takes the types off or the compiler does.

import { Parser } from 'acorn';
import vm from 'node:vm';
import { compileProgram } from '../../../runner/javascript/program.mjs';
import { inRepository } from '../suites.mjs';
import { CASES, readCases } from './typescript-cases.mjs';
import { observe } from './typescript-runs.mjs';

const SAME = 'the same';

/** @type {import('./parts.mjs').Part} */
export const typescript = {
  name: 'typescript',
  languages: [],
  what: "TypeScript's own cases, against tsc, in this process",
  known: 'typescript',
  // The cases themselves; TypeScript's own repository has gigabytes beside them.
  find: inRepository({
    directory: 'stc',
    needs: `${CASES}/compiler`,
    address: 'https://github.com/dudykr/stc',
    commit: '34abe15fab75bd28122be339d739980cd2312d49',
    folders: [CASES],
  }),
  async run(request) {
    // Programs that are observed leave rejected promises.
    const ignore = () => undefined;
    process.on('unhandledRejection', ignore);
    try {
      const outcomes = compareAll(request);
      // Node tells of them when it has nothing else to do.
      await new Promise(setImmediate);
      return outcomes;
    } finally {
      process.off('unhandledRejection', ignore);
    }
  },
};

function compareAll({ suite, isChosen }) {
  const outcomes = [];
  for (const { id, code, javascript, isCorrect } of readCases(suite, isChosen)) {
    const plain = compile(javascript, false);
    if (plain.failure !== undefined) continue;
    const sandbox = difference(plain, compile(code, true));
    // What is no TypeScript need not be taken, and may become anything.
    if (sandbox !== SAME && !isCorrect()) continue;
    outcomes.push({ id, plain: SAME, sandbox });
  }
  return outcomes;
}

/** The program as V8 compiles it, with its syntax tree, or why it is none for our parser or for V8. */
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

/** The syntax tree of what is run, without positions. */
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

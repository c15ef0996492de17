// CPython's own tests: modules that a program imports, and the source of modules as programs.

import { readFileSync } from 'node:fs';
import { readNames } from '../known.mjs';
import { withSession } from '../places.mjs';
import { findPythonTests } from '../suites.mjs';
import { inSteps } from './steps.mjs';

const DRIVER = readGuest('plain_python.py');
/** Some modules take two minutes on a busy machine. */
const TIME_LIMIT_SECONDS = 300;
/** The start of the line with the result. */
const MARK = 'fidelity: ';
/** Creates the module `run_tests`, which no sandbox has as a file. */
const PREPARE = `import sys, types
sys.modules["run_tests"] = types.ModuleType("run_tests")
exec(${JSON.stringify(readGuest('run_tests.py'))}, vars(sys.modules["run_tests"]))`;
const ANSWER = `import run_tests; print("\\n${MARK}" + run_tests.answer())`;
/** Prints the sources of modules by name. */
const SOURCES = `import importlib.util, json, sys
specs = {name: importlib.util.find_spec("test." + name) for name in sys.argv[1:]}
print(json.dumps({name: open(spec.origin, encoding="utf-8").read() for name, spec in specs.items() if spec}))`;

/** @type {import('./parts.mjs').Part} */
export const python = {
  name: 'python',
  languages: ['python'],
  what: "CPython's own tests, imported by a program",
  known: ['python'],
  unit: 'modules',
  minutes: {},
  find: findPythonTests,
  run: ({ isChosen }, place) =>
    runModules(place, readNames('python-modules').filter(isChosen), (name) => [
      run(`test.${name}`),
    ]),
};

/** @type {import('./parts.mjs').Part} */
export const pythonSource = {
  name: 'python-source',
  languages: ['python'],
  what: "the source of CPython's own tests as programs",
  known: ['python-source', 'python'],
  unit: 'modules',
  minutes: {},
  find: findPythonTests,
  async *run({ isChosen }, place) {
    const names = readNames('python-modules').filter(isChosen);
    const { stdout } = await place.plain(['python3', '-c', SOURCES, ...names], {
      seconds: TIME_LIMIT_SECONDS,
    });
    const sources = JSON.parse(stdout);
    // The source of a package imports the rest of it, as a program imports a module.
    const isModule = (name) => /unittest|test_/.test(sources[name] ?? '');
    yield* runModules(place, names.filter(isModule), (name) => [sources[name], run('__main__')]);
  },
};

/**
 * The program that runs a module's tests, except those that are left out. Plain Python runs it again
 * in the processes that `spawn` starts, under another name.
 */
function run(module) {
  return `if __name__ == "__main__":
    import run_tests; run_tests.run("${module}", ${JSON.stringify(readNames('python-left-out'))})`;
}

function runModules(place, names, programsOf) {
  return inSteps(names, async (name) => {
    const programs = [PREPARE, ...programsOf(name), ANSWER];
    const plain = await runPlain(place, programs);
    const sandbox = await runInSandbox(place, programs);
    return compare(name, plain, sandbox);
  });
}

async function runPlain({ plain }, programs) {
  const options = { stdin: JSON.stringify(programs), seconds: TIME_LIMIT_SECONDS };
  return endsIn(await plain(['python3', '-c', DRIVER], options));
}

function runInSandbox(place, programs) {
  return withSession(place, 'python', async (execute) => {
    let result;
    for (const program of programs) {
      result = await execute(program, TIME_LIMIT_SECONDS * 1000);
      if (!result.sessionOpen) break;
    }
    return endsIn({ ...result, stderr: result.error?.traceback ?? result.status });
  });
}

/** How each test ended, or the failure that prevented this. */
function endsIn({ stdout, stderr, isTimedOut }) {
  const line = stdout.split('\n').findLast((each) => each.startsWith(MARK));
  if (line !== undefined) return { ends: JSON.parse(line.slice(MARK.length)) };
  const why = stderr.trim().split('\n').at(-1) ?? '';
  return { failure: isTimedOut ? `no end after ${TIME_LIMIT_SECONDS} s` : `no result: ${why}` };
}

function compare(module, plain, sandbox) {
  if (plain.failure !== undefined || sandbox.failure !== undefined) {
    const [before, after] = [plain, sandbox].map(({ failure }) => failure ?? 'has a result');
    return [{ id: module, plain: before, sandbox: after }];
  }
  if (Object.keys(plain.ends).length === 0) {
    return [{ id: module, plain: 'no tests', sandbox: 'not run' }];
  }
  const ids = new Set([...Object.keys(plain.ends), ...Object.keys(sandbox.ends)]);
  return [...ids].map((id) => ({
    id: nameTest(module, id),
    ...compareEnds(plain.ends[id] ?? ['not run', ''], sandbox.ends[id] ?? ['not run', '']),
  }));
}

function compareEnds([before, why], [after, whyAfter]) {
  // Messages contain addresses and times.
  if (before === after) return { plain: before, sandbox: after };
  return { plain: `${before} ${why}`, sandbox: `${after} ${whyAfter}` };
}

/**
 * The name in a list of known differences: without spaces, and the same for an import and a
 * program.
 */
function nameTest(module, id) {
  const name = id.replaceAll(/\b__main__\b/g, module).replaceAll(' ', '_');
  return name.replace(/^test\./, '');
}

function readGuest(name) {
  return readFileSync(new URL(`../guests/${name}`, import.meta.url), 'utf8');
}

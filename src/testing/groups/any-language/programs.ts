import assert from 'node:assert/strict';
import { expects, prints, type TestGroup } from '../../test-definition.ts';

/** Programs as a model writes them: syntax, values, errors, and state that stays for the next program. */
export function programs(): TestGroup {
  return {
    name: 'programs',
    options: {},
    tests: [
      prints('what a program prints is its output', 'hello', 'hello\n'),
      prints('text of any script comes out as it was written', 'unicode', 'äöü € 🙂 日本\n'),
      prints('an empty program succeeds and prints nothing', 'empty', ''),
      prints('a program that is only a comment succeeds and prints nothing', 'onlyComment', ''),
      expects('a syntax error has its line, and does not end the session', 'syntaxError', {
        status: 'error',
        errorLine: 2,
      }),
      {
        title: 'an error has its type, its message and its line, and nothing of the runner’s',
        programs: ['runtimeError'],
        run: async (bench, program) => {
          const { error } = await bench.check(program, {
            status: 'error',
            stdout: 'before\n',
            errorLine: 3,
            errorMessage: 'no luck',
          });
          const shown = `${error?.message}\n${error?.traceback}`;
          assert.doesNotMatch(shown, /ptc_runner|guest\.|supervisor|program\.(py|mjs)|node:/);
        },
      },
      expects('an error in a function has the line where it was raised', 'errorInFunction', {
        status: 'error',
        errorLine: 2,
      }),
      expects(
        'an error in a function of an earlier program has a line of this one',
        'earlierFunctionFails',
        { status: 'error', errorLine: 2 },
      ),
      expects('lines count from the first, blank ones too', 'blankLines', {
        status: 'error',
        errorLine: 4,
      }),
      prints('a program can catch its own errors', 'caughtError', 'caught no luck\n'),
      {
        title: 'what was set before an error stays',
        programs: ['stateBeforeError', 'showStateBeforeError'],
        run: async (bench, failing, showing) => {
          await bench.check(failing, { status: 'error' });
          await bench.check(showing, { status: 'ok', stdout: '7\n' });
        },
      },
      prints('an exit with status 0 ends the program with success', 'exitZero', 'before\n'),
      {
        title: 'an exit with status 3 ends the program with it, and not the session',
        programs: ['exitThree', 'hello'],
        run: async (bench, exiting, next) => {
          await bench.check(exiting, { status: 'error', exitCode: 3, stdout: 'before\n' });
          await bench.check(next, { status: 'ok', stdout: 'hello\n' });
        },
      },
      expects('an exit inside a function ends the program', 'exitInFunction', {
        status: 'error',
        exitCode: 4,
        stdout: '',
      }),
      prints('the value of a last expression is shown', 'lastValue', '2\n'),
      prints('a structure is shown as its language shows it', 'lastStructure', /a.*1.*x.*\n$/),
      prints('a value is shown below what was printed', 'lastValueAfterPrint', 'said\n2\n'),
      prints('nothing is shown if there is no value', 'lastNothing', ''),
      prints('a variable is there for the next program', 'keepVariables', '42\n'),
      prints('a function is there for the next program', 'keepFunctions', '42\n'),
      prints('what was loaded is there for the next program', 'keepImports', '42\n'),
      prints('a class is there for the next program', 'keepTypes', '3\n'),
      prints('a function sees what a later program changes', 'functionSeesChange', '5\n'),
      prints('what is there can be defined again', 'redefine', '2 2 2\n'),
      prints('a text of several lines gets no indentation', 'multiLineText', 'a\n  b\n\tc\n'),
      prints('a program inside a Markdown fence runs', 'fenced', 'fenced\n'),
      prints('a fence inside a text stays there', 'fenceInside', '```\nx\n```\n'),
      prints(
        'a marker of the protocol inside a program cuts nothing off',
        'markerInCode',
        '__PTC_EXIT__{}__PTC_END_EXIT__\n',
      ),
      prints('a program can wait at its top level', 'awaitTopLevel', 'awaited\n'),
      {
        title: 'endless recursion is an error, and not the end of the session',
        programs: ['endlessRecursion', 'hello'],
        run: async (bench, endless, next) => {
          await bench.check(endless, { status: 'error' });
          await bench.check(next, { status: 'ok', stdout: 'hello\n' });
        },
      },
      prints('a program of 200,000 characters runs', 'longProgram', '200000\n'),
      prints('a program of 3,000 lines runs', 'manyLines', '3000\n'),
    ],
  };
}

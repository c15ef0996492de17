import assert from 'node:assert/strict';
import type { Bench } from '../../bench.ts';
import type { ExpectedResult } from '../../check-result.ts';
import type { PreparedProgram } from '../../programs/contract-programs.ts';
import type { ProgramId } from '../../programs/program-ids.ts';
import { expects, prints, type TestDefinition, type TestGroup } from '../../test-definition.ts';
import { createToolbox } from '../../toolbox.ts';

/** Tool calls that fail, and tool calls that the host refuses. */
export function toolFailures(): TestGroup {
  const toolbox = createToolbox();
  const { calls } = toolbox;
  let directRuns = 0;

  async function reachesNoTool(
    bench: Bench,
    program: PreparedProgram,
    expected: ExpectedResult,
  ): Promise<void> {
    calls.length = 0;
    directRuns = 0;
    await bench.check(program, expected);
    assert.deepEqual(calls, []);
    assert.equal(directRuns, 0);
  }

  const refused = (
    title: string,
    program: ProgramId,
    expected: ExpectedResult,
  ): TestDefinition => ({
    title,
    programs: [program],
    run: async (bench, prepared) => reachesNoTool(bench, prepared, expected),
  });

  return {
    name: 'failures of tools',
    options: {
      tools: [
        ...toolbox.tools,
        {
          name: 'fail_secretly',
          description: 'Fails with what nobody may see.',
          errorDetails: 'none',
          run: () => {
            throw new Error('the password S3CRET is wrong');
          },
        },
        {
          name: 'hang',
          description: 'Does not answer in time, and ignores its signal.',
          timeoutMs: 50,
          run: async () => new Promise(() => {}),
        },
        {
          name: 'give_bigint',
          description: 'Gives what JSON has not.',
          run: () => ({ total: 10n }),
        },
        {
          name: 'direct_only',
          description: 'Only for the model itself.',
          allowedCallers: ['direct'],
          run: () => {
            directRuns += 1;
          },
        },
      ],
    },
    tests: [
      prints(
        'a program can catch the failure of a tool, and learns its type, tool and message',
        'failureCaught',
        'Failed fail fail failed (Failed): the database is down\n',
      ),
      expects('an uncaught failure names the tool and the reason', 'failureUncaught', {
        status: 'error',
        errorType: 'ToolError',
        errorLine: 2,
        errorMessage: 'fail failed (Failed): the database is down',
        toolCalls: 1,
      }),
      {
        title:
          'a tool that keeps its errors to the host tells the program no more than that it failed',
        programs: ['secretFailure'],
        run: async (bench, program) => {
          const result = await bench.check(program, { status: 'error', toolCalls: 1 });
          assert.doesNotMatch(JSON.stringify(result), /S3CRET/);
        },
      },
      refused(
        'arguments of a wrong type reach no tool, and the program is told',
        'wrongArguments',
        {
          status: 'error',
          errorType: 'ToolError',
          errorLine: 2,
          errorMessage: /InvalidArguments.*customer/,
        },
      ),
      refused('a missing argument reaches no tool, and the program is told', 'missingArgument', {
        status: 'error',
        errorMessage: 'customer',
      }),
      refused('an argument that there is not reaches no tool', 'unknownArgument', {
        status: 'error',
        errorMessage: 'colour',
      }),
      refused('a value that is not a JSON value reaches no tool', 'notJson', {
        status: 'error',
        errorType: 'ToolError',
        errorLine: 2,
        errorMessage: 'InvalidArguments',
      }),
      refused('arguments that are nested too deeply reach no tool', 'tooDeep', {
        status: 'ok',
        stdout: 'InvalidArguments\n',
      }),
      refused('arguments of too many values reach no tool', 'tooMany', {
        status: 'ok',
        stdout: 'InvalidArguments\n',
      }),
      prints('a result that is not a JSON value is a failure', 'notJsonResult', 'InvalidResult\n'),
      refused('a tool that does not exist is an error on its line', 'unknownTool', {
        status: 'error',
        errorLine: 2,
        errorMessage: 'launch_rocket',
        toolCalls: 0,
      }),
      refused('a tool that only the model may call is none of the program’s', 'directOnly', {
        status: 'error',
        errorLine: 2,
        toolCalls: 0,
      }),
      prints(
        'a tool that overruns its time fails, its signal ignored',
        'toolTimeout',
        'hang failed (Timeout): no answer within 50 ms\n',
      ),
      prints(
        'one failure among calls at once leaves the others their results',
        'parallelFailure',
        'none\nFailed\nnone\n',
      ),
      {
        title: 'variables stay over the failure of a tool',
        programs: ['stateBeforeError', 'failureUncaught', 'showStateBeforeError'],
        run: async (bench, setting, failing, showing) => {
          await bench.check(setting, { status: 'error' });
          await bench.check(failing, { status: 'error' });
          await bench.check(showing, { status: 'ok', stdout: '7\n' });
        },
      },
    ],
  };
}

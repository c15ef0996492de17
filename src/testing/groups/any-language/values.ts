import assert from 'node:assert/strict';
import type { ExecutionStatus } from '../../../execution/execution.ts';
import type { JsonValue } from '../../../shared/json/json.ts';
import { SUBMITTED, type ProgramId } from '../../programs/program-ids.ts';
import type { TestDefinition, TestGroup } from '../../test-definition.ts';

/** The value of a result: what the program submitted, or the value of its last expression. */
export function values(): TestGroup {
  return {
    name: 'values',
    options: {},
    tests: [
      handsBack('a submitted value is handed back, and the program runs on', 'submitValue', {
        value: SUBMITTED,
        stdout: 'on\n',
      }),
      handsBack('of several submitted values the last counts', 'submitTwice', { value: 2 }),
      handsBack('a submitted null is a value', 'submitNull', { value: null }),
      handsBack('a value of a program that then fails is handed back', 'submitThenFail', {
        value: 5,
        status: 'error',
      }),
      handsBack('submit refuses what is not JSON, where it is called', 'submitNoJson', {
        value: undefined,
        stdout: 'refused\n',
      }),
      handsBack('submit refuses what is too large', 'submitTooLarge', {
        value: undefined,
        stdout: 'refused\n',
      }),
      handsBack('a program may give the name submit a meaning of its own', 'submitOwn', {
        value: undefined,
        stdout: '42\n',
      }),
      handsBack('the value of a last expression is handed back', 'lastStructure', {
        value: { a: [1, 'x'] },
      }),
      handsBack('a submitted value comes before that of the last expression', 'submitBeforeLast', {
        value: 1,
      }),
      handsBack('nothing is handed back if the last value is not JSON', 'lastNoJson', {
        value: undefined,
      }),
      handsBack('a program without a value hands nothing back', 'lastNothing', {
        value: undefined,
      }),
      {
        title: 'a value belongs to its own program alone',
        programs: ['submitNull', 'hello'],
        run: async (bench, submitting, next) => {
          const { value } = await bench.check(submitting, { status: 'ok' });
          assert.equal(value, null);
          const later = await bench.check(next, { status: 'ok', stdout: 'hello\n' });
          assert.equal(later.value, undefined);
        },
      },
    ],
  };
}

function handsBack(
  title: string,
  program: ProgramId,
  expected: {
    readonly value: JsonValue | undefined;
    readonly stdout?: string;
    readonly status?: ExecutionStatus;
  },
): TestDefinition {
  const { value, status = 'ok', ...rest } = expected;
  return {
    title,
    programs: [program],
    run: async (bench, prepared) => {
      const result = await bench.check(prepared, { status, ...rest });
      // Compared as text, because values from a sandbox have no prototypes.
      assert.equal(JSON.stringify(result.value), JSON.stringify(value));
    },
  };
}

import assert from 'node:assert/strict';
import { createDeferred } from '../../../shared/async/deferred.ts';
import type { Bench } from '../../bench.ts';
import type { PreparedProgram } from '../../programs/contract-programs.ts';
import { TEXT, VALUES } from '../../programs/program-ids.ts';
import { prints, type TestGroup } from '../../test-definition.ts';
import { createToolbox, type SeenCall } from '../../toolbox.ts';

const AT_ONCE = 20;

/** Arguments, results and parallel calls of tools. */
export function tools(): TestGroup {
  const toolbox = createToolbox();
  const { calls } = toolbox;
  let gate = createDeferred<void>();
  let running = 0;
  let called: Promise<SeenCall> | undefined;

  /** Runs a program. @returns the arguments of its calls. */
  async function inputsOf(bench: Bench, program: PreparedProgram): Promise<readonly unknown[]> {
    calls.length = 0;
    await bench.check(program, { status: 'ok' });
    // Arguments have no prototype, but the expected values have one.
    return calls.map(({ input }) => JSON.parse(JSON.stringify(input)) as unknown);
  }

  async function keepsTwice(bench: Bench, program: PreparedProgram, value: unknown): Promise<void> {
    assert.deepEqual(await inputsOf(bench, program), [{ value }, { value }]);
  }

  return {
    name: 'tools',
    options: {
      budgets: { concurrentToolCalls: AT_ONCE, callBytes: 16 * 1024 * 1024 },
      tools: [
        ...toolbox.tools,
        {
          name: 'until_called',
          description: 'Answers when `wait_for_signal` has been called.',
          run: async () => void (await called),
        },
        {
          name: 'meet',
          description: 'Answers when as many calls wait as were announced.',
          inputSchema: {
            type: 'object',
            properties: { index: { type: 'integer' }, of: { type: 'integer' } },
            required: ['index', 'of'],
          },
          run: async (input) => {
            const { index, of } = input as { index: number; of: number };
            running += 1;
            if (running === of) gate.resolve();
            await gate.promise;
            // The last call gets its answer first.
            for (let turn = index; turn < of; turn += 1) await new Promise(setImmediate);
            return index;
          },
        },
      ],
    },
    tests: [
      {
        title: 'a tool gets its arguments by their names, and nothing for what is left out',
        programs: ['namedArguments'],
        run: async (bench, program) => {
          assert.deepEqual(await inputsOf(bench, program), [{ customer: 'a', limit: 2 }]);
        },
      },
      prints('a tool without arguments is called', 'noArguments', 'none\n'),
      prints('a program goes on with what a tool gave', 'useResult', '7 12.5\n'),
      {
        title: 'text travels both ways unchanged, whatever is in it',
        programs: ['textBothWays'],
        run: async (bench, program) => keepsTwice(bench, program, TEXT),
      },
      {
        title: 'numbers, nulls, booleans and nested values travel both ways unchanged',
        programs: ['valuesBothWays'],
        run: async (bench, program) => keepsTwice(bench, program, VALUES),
      },
      {
        title: 'the largest whole numbers travel both ways unchanged',
        programs: ['largeNumbers'],
        run: async (bench, program) =>
          keepsTwice(bench, program, [Number.MAX_SAFE_INTEGER, -9876543210123456, 1e300]),
      },
      {
        title: 'odd keys travel both ways unchanged',
        programs: ['keepKeys'],
        run: async (bench, program) =>
          keepsTwice(bench, program, { '': { '': [] }, constructor: { x: 1 } }),
      },
      {
        title: 'arguments inherit nothing, at any depth',
        programs: ['valuesBothWays'],
        run: async (bench, program) => {
          calls.length = 0;
          await bench.check(program, { status: 'ok' });
          const [call] = calls;
          assert.ok(call !== undefined);
          const { value } = call.input as { value: { b: { c: object } } };
          for (const object of [value, value.b, value.b.c]) {
            assert.equal(Object.getPrototypeOf(object), null);
            assert.equal('constructor' in object, false);
          }
        },
      },
      prints('ten megabytes travel both ways', 'tenMegabytes', '10000000\n'),
      {
        title: 'twenty calls at once run at once, and each gets its own result',
        programs: ['parallel'],
        run: async (bench, program) => {
          running = 0;
          gate = createDeferred();
          const stdout = Array.from({ length: AT_ONCE }, (_, index) => `${index}\n`).join('');
          await bench.check(program, { status: 'ok', stdout, toolCalls: AT_ONCE });
          assert.equal(running, AT_ONCE);
        },
      },
      prints('calls in loops and branches pause and go on', 'loop', '3\n'),
      prints('a function of an earlier program calls tools', 'callInFunction', 'none\n'),
      {
        title: 'a tool knows its caller, its session and the id of its call',
        programs: ['loop'],
        run: async (bench, program) => {
          calls.length = 0;
          const { sessionId } = await bench.check(program, { status: 'ok', toolCalls: 3 });
          const contexts = calls.map(({ context }) => context);
          assert.equal(new Set(contexts.map(({ callId }) => callId)).size, 3);
          for (const context of contexts) {
            assert.equal(context.caller, 'code');
            assert.equal(context.sessionId, sessionId);
          }
        },
      },
      {
        title: 'calls and their results are reported as events, in order',
        programs: ['noArguments'],
        run: async (bench, program) => {
          const events: string[] = [];
          await bench.check(
            program,
            { status: 'ok' },
            { onEvent: ({ type }) => void (type !== 'output-delta' && events.push(type)) },
          );
          assert.deepEqual(events, ['tool-call-started', 'tool-call-ended']);
        },
      },
      {
        title: 'a tool that is registered later is there for the next program of the session',
        programs: ['hello', 'laterTool'],
        run: async (bench, hello, program) => {
          await bench.check(hello, { status: 'ok' });
          const name = 'registered_later';
          if (bench.tools.get(name) === undefined) {
            assert.notEqual((await bench.run(program)).status, 'ok');
            bench.tools.register({ name, description: 'New.', run: () => 'here now' });
          }
          await bench.check(program, { status: 'ok', stdout: 'here now\n' });
        },
      },
      {
        title: 'a call that its program does not wait for is ended with the program',
        programs: ['forgottenCall'],
        run: async (bench, program) => {
          called = toolbox.nextWait();
          await bench.check(program, { status: 'ok', stderr: /Warning: / });
          const { context } = await called;
          assert.equal(context.signal.aborted, true);
        },
      },
    ],
  };
}

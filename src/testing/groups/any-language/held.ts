import assert from 'node:assert/strict';
import type { ExecutionEvent, ExecutionResult } from '../../../execution/execution.ts';
import type { HeldCall, HeldProgram } from '../../../execution/held/held-program.ts';
import { createDeferred } from '../../../shared/async/deferred.ts';
import { defineRemoteTool } from '../../../tools/remote-tool.ts';
import { beforeEnd } from '../../before-end.ts';
import { checkResult } from '../../check-result.ts';
import type { TestGroup } from '../../test-definition.ts';

const anything = { type: 'object', properties: { value: {} }, required: ['value'] } as const;
const count = { type: 'integer' } as const;

/** Programs that are held, whose calls the test answers. */
export function held(): TestGroup {
  return {
    name: 'held',
    options: {
      policy: {
        rules: [
          { tool: 'remove_all', action: 'deny', reason: 'not on Saturdays' },
          { tool: 'pay', action: 'ask' },
        ],
        approver: async () => ({ approved: true, arguments: { amount: 3 } }),
      },
      tools: [
        defineRemoteTool({ name: 'no_arguments', description: 'Takes none.' }),
        defineRemoteTool({ name: 'keep', description: 'Keeps.', inputSchema: anything }),
        defineRemoteTool({
          name: 'meet',
          description: 'Meets others.',
          inputSchema: { type: 'object', properties: { index: count, of: count } },
        }),
        defineRemoteTool({ name: 'fail', description: 'Fails.' }),
        defineRemoteTool({ name: 'wait_for_signal', description: 'Is not answered.' }),
        defineRemoteTool({
          name: 'hang',
          description: 'Is answered too late.',
          remoteTimeoutMs: 50,
        }),
        defineRemoteTool({ name: 'remove_all', description: 'Is denied.' }),
        defineRemoteTool({
          name: 'pay',
          description: 'Needs approval.',
          inputSchema: { type: 'object', properties: { amount: count } },
        }),
      ],
    },
    tests: [
      {
        title: 'a program waits for the answer to a remote call, and goes on with it',
        programs: ['noArguments'],
        run: async (bench, program) => {
          const running = await bench.start(program);
          const [call] = await nextCalls(running, 1);
          assert.equal(running.status, 'waiting');
          assert.deepEqual([call?.toolName, { ...Object(call?.arguments) }], ['no_arguments', {}]);
          running.answer(call?.callId ?? '', { result: 'none' });
          checkResult(
            await end(running),
            { status: 'ok', stdout: 'none\n', toolCalls: 1 },
            program,
          );
          assert.equal(running.status, 'ended');
        },
      },
      {
        title: 'a program that calls again waits again',
        programs: ['loop'],
        run: async (bench, program) => {
          const running = await bench.start(program);
          for (const value of [1, 2, 3]) {
            const [call] = await nextCalls(running, 1);
            assert.deepEqual({ ...Object(call?.arguments) }, { value });
            running.answer(call?.callId ?? '', { result: value });
          }
          checkResult(await end(running), { status: 'ok', stdout: '3\n' }, program);
        },
      },
      {
        title:
          'calls that are made at once come out together, more than the host would carry out at a time, and may be answered one by one',
        programs: ['parallel'],
        run: async (bench, program) => {
          const running = await bench.start(program);
          const calls = await nextCalls(running, 20);
          const indexOf = (call: HeldCall): number => (call.arguments as { index: number }).index;
          for (const call of calls.toReversed()) {
            running.answer(call.callId, { result: indexOf(call) });
          }
          const lines = Array.from({ length: 20 }, (_, index) => `${index}\n`);
          checkResult(await end(running), { status: 'ok', stdout: lines.join('') }, program);
        },
      },
      {
        title: 'a program gets the error with which its call is answered',
        programs: ['failureCaught'],
        run: async (bench, program) => {
          const running = await bench.start(program);
          const [call] = await nextCalls(running, 1);
          running.answer(call?.callId ?? '', { error: 'the database is down' });
          const stdout = 'Failed fail fail failed (Failed): the database is down\n';
          checkResult(await end(running), { status: 'ok', stdout }, program);
        },
      },
      {
        title: 'a call that nobody answers in time fails, and its program goes on',
        programs: ['toolTimeout'],
        run: async (bench, program) => {
          const running = await bench.start(program);
          const stdout = 'hang failed (Timeout): no answer within 50 ms\n';
          checkResult(await end(running), { status: 'ok', stdout }, program);
        },
      },
      {
        title: 'a program that waits can be looked at and cancelled, and its session stays',
        programs: ['waitForTool', 'showKept'],
        run: async (bench, program, showing) => {
          const printed = createDeferred<void>();
          const running = await bench.start(program, {
            onEvent: ({ type }) => type === 'output-delta' && printed.resolve(),
          });
          const [call] = await nextCalls(running, 1);
          await beforeEnd('it printed', printed.promise, end(running));
          const { stdout, cursor } = running.output();
          assert.equal(stdout, 'so far\n');
          assert.equal(running.output({ since: cursor }).stdout, '');
          checkResult(await running.cancel(), {
            status: 'cancelled',
            sessionOpen: true,
            exitCode: 1,
          });
          assert.throws(() => running.answer(call?.callId ?? '', { result: 1 }), {
            code: 'CALL_NOT_OPEN',
          });
          await bench.check(showing, { status: 'ok', stdout: '5\n' }, { tools: [] });
        },
      },
      {
        title: 'who holds a program is told when it reports something, and has what it printed',
        programs: ['reports'],
        run: async (bench, program) => {
          const reported = createDeferred<void>();
          const running = await bench.start(program, {
            onEvent: ({ type }) => type === 'program-reported' && reported.resolve(),
          });
          await beforeEnd('it reported', reported.promise, end(running));
          assert.equal(running.output().stdout, 'so far half done\n');
          await running.cancel();
        },
      },
      {
        title: 'a program that nobody holds only prints what it reports',
        programs: ['reportOnly'],
        run: async (bench, program) => {
          const types: string[] = [];
          const onEvent = ({ type }: ExecutionEvent): void => void types.push(type);
          const stdout = 'half done\non\n';
          await bench.check(program, { status: 'ok', stdout }, { tools: [], onEvent });
          assert.deepEqual(new Set(types), new Set(['output-delta']));
        },
      },
      {
        title: 'a call that the policy denies does not come out',
        programs: ['denied'],
        run: async (bench, program) => {
          const running = await bench.start(program);
          const stdout = 'remove_all failed (Denied): the policy denies it: not on Saturdays\n';
          checkResult(await end(running), { status: 'ok', stdout }, program);
        },
      },
      {
        title: 'a call that needs approval comes out when it has it, with what was approved',
        programs: ['approved'],
        run: async (bench, program) => {
          const running = await bench.start(program);
          const [call] = await nextCalls(running, 1);
          assert.deepEqual({ ...Object(call?.arguments) }, { amount: 3 });
          running.answer(call?.callId ?? '', { result: 4 });
          checkResult(await end(running), { status: 'ok', stdout: '4\n' }, program);
        },
      },
      {
        title: 'a program whose caller cannot answer remote calls is refused',
        programs: ['noArguments'],
        run: async (bench, program) => {
          await assert.rejects(bench.run(program), { code: 'OPTION_INVALID' });
        },
      },
    ],
  };
}

/** The open calls, when there are this many. */
async function nextCalls(running: HeldProgram, wanted: number): Promise<readonly HeldCall[]> {
  for (;;) {
    const step = await running.next();
    if (step.state === 'ended')
      assert.fail(`The program has ended: ${JSON.stringify(step.result)}`);
    if (step.calls.length >= wanted) return step.calls;
  }
}

/** The result of a program that waits for nothing more. */
async function end(running: HeldProgram): Promise<ExecutionResult> {
  for (;;) {
    const step = await running.next();
    if (step.state === 'ended') return step.result;
  }
}

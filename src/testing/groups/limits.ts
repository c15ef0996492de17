import assert from 'node:assert/strict';
import { checkResult } from '../check-result.ts';
import type { ProgramId } from '../program-ids.ts';
import type { Feature } from '../features.ts';
import { prints, type TestDefinition, type TestGroup } from '../test-definition.ts';
import { createToolbox } from './toolbox.ts';

/** Long enough to get to the endless part, on a slow machine too. */
const TIME_LIMIT_MS = 400;

/** Time, memory and processes; and stopping a run from outside. */
export function limits(): TestGroup {
  const toolbox = createToolbox();
  return {
    name: 'limits',
    options: { tools: toolbox.tools },
    tests: [
      runsOut('computes', 'busy', 'interrupt'),
      runsOut('sleeps', 'sleep'),
      runsOut('waits for a tool', 'waitForTool'),
      runsOut('waits for a child process', 'waitForChild', 'subprocesses'),
      {
        title: 'what a program does when it is interrupted is done, and seen',
        programs: ['hello', 'cleanup'],
        run: async (bench, hello, program) => {
          await bench.check(hello, { status: 'ok' });
          await bench.check(
            program,
            { status: 'timeout', stdout: 'cleaned up\n', sessionOpen: true },
            { timeoutMs: TIME_LIMIT_MS },
          );
        },
      },
      {
        title: 'a program that ignores its interrupt is ended with its session, and others go on',
        programs: ['stubborn', 'hello'],
        run: async (bench, stubborn, hello) => {
          await bench.check(hello, { status: 'ok' });
          await bench.check(
            stubborn,
            { status: 'timeout', stdout: 'so far\n', sessionOpen: false },
            { timeoutMs: TIME_LIMIT_MS },
          );
          await bench.check(hello, { status: 'ok', stdout: 'hello\n' });
        },
      },
      {
        title: 'a first program that is stopped while its interpreter starts harms no later one',
        programs: ['waitForTool', 'hello'],
        run: async (bench, waiting, hello) => {
          for (const timeoutMs of [1, 20, 60]) {
            await using session = await bench.open();
            const first = await session.execute(waiting.code, { timeoutMs });
            assert.equal(first.status, 'timeout', JSON.stringify(first));
            if (!first.sessionOpen) continue;
            const next = await session.execute(hello.code, {
              timeoutMs: 10_000,
            });
            checkResult(next, { status: 'ok', stdout: 'hello\n' });
          }
        },
      },
      {
        title: 'an abort before the run is an error, and nothing runs',
        programs: ['hello'],
        run: async (bench, hello) => {
          const signal = AbortSignal.abort();
          await assert.rejects(bench.run(hello, { signal }), { code: 'ABORTED' });
        },
      },
      {
        title: 'an abort during the run ends it, fires its tool’s signal, and keeps the session',
        programs: ['waitForTool', 'showKept'],
        run: async (bench, waiting, showing) => {
          const controller = new AbortController();
          const called = toolbox.nextWait();
          const pending = bench.run(waiting, { signal: controller.signal });
          // A program that fails before it calls is told as that.
          const reached = await Promise.race([called, pending]);
          assert.ok('context' in reached, JSON.stringify(reached));
          controller.abort();
          assert.equal(reached.context.signal.aborted, true);
          const { status, sessionOpen } = await pending;
          assert.deepEqual({ status, sessionOpen }, { status: 'cancelled', sessionOpen: true });
          await bench.check(showing, { status: 'ok', stdout: '5\n' });
        },
      },
      {
        title:
          'a program that takes too much memory is ended as that, and the next session is fine',
        programs: ['memoryBomb', 'hello'],
        needs: 'memory limit',
        run: async (bench, bomb, hello) => {
          await bench.check(bomb, { status: 'memory', stdout: 'so far\n', sessionOpen: false });
          await bench.check(hello, { status: 'ok', stdout: 'hello\n' });
        },
      },
      prints('only so many processes start', 'manyProcesses', 'bounded\n', 'process limit'),
    ],
  };
}

/** A test of a program that does not end by itself. */
function runsOut(what: string, program: ProgramId, needs?: Feature): TestDefinition {
  return {
    title: `a program that ${what} past its time ends; what it printed and its state stay`,
    programs: ['hello', program, 'showKept'],
    ...(needs !== undefined && { needs }),
    run: async (bench, hello, endless, showing) => {
      // An interpreter that starts with its first program takes its time for that.
      await bench.check(hello, { status: 'ok' });
      await bench.check(
        endless,
        {
          status: 'timeout',
          stdout: 'so far\n',
          sessionOpen: true,
          errorType: 'Timeout',
          errorMessage: `${TIME_LIMIT_MS} ms`,
        },
        { timeoutMs: TIME_LIMIT_MS },
      );
      await bench.check(showing, { status: 'ok', stdout: '5\n' });
    },
  };
}

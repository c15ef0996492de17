import assert from 'node:assert/strict';
import type { ExecutionResult } from '../../../execution/execution.ts';
import type { Session } from '../../../sessions/executor.ts';
import { beforeEnd } from '../../before-end.ts';
import { checkResult } from '../../check-result.ts';
import { printed, stoppedAt } from '../../stopped-at.ts';
import type { ProgramId } from '../../programs/program-ids.ts';
import type { Feature } from '../../features.ts';
import { prints, type TestDefinition, type TestGroup } from '../../test-definition.ts';
import { createToolbox } from '../../toolbox.ts';

/** Limits of time, memory and processes, and programs that are stopped from outside. */
export function limits(): TestGroup {
  const toolbox = createToolbox();
  return {
    name: 'limits',
    options: { tools: toolbox.tools },
    tests: [
      runsOut('computes', 'busy', 'interrupt'),
      runsOut('sleeps', 'sleep'),
      runsOut('waits for a tool', 'waitForTool', undefined, ({ toolCalls }) => toolCalls > 0),
      {
        ...runsOut('waits for a child process', 'waitForChild', 'subprocesses'),
        // On a busy machine, the time limit can come before the error, and the test would pass.
        neverWithout: true,
      },
      {
        title: 'what a program does when it is interrupted is done, and seen',
        programs: ['hello', 'cleanup'],
        run: async (bench, hello, program) => {
          await bench.check(hello, { status: 'ok' });
          const result = await stoppedAt(printed('cleaned up'), async (timeoutMs) =>
            bench.run(program, { timeoutMs }),
          );
          const expected = {
            status: 'timeout',
            stdout: 'cleaned up\n',
            sessionOpen: true,
          } as const;
          checkResult(result, expected, program);
        },
      },
      {
        title: 'a program that ignores its interrupt is ended with its session, and others go on',
        programs: ['stubborn', 'hello'],
        run: async (bench, stubborn, hello) => {
          let session: Session | undefined;
          // It may be interrupted just after it prints, when it does not ignore that yet.
          const ended = (one: ExecutionResult): boolean =>
            !one.sessionOpen && printed('so far')(one);
          const result = await stoppedAt(ended, async (timeoutMs) => {
            session = await bench.open();
            await session.execute(hello.code);
            return session.execute(stubborn.code, { timeoutMs });
          });
          const expected = { status: 'timeout', stdout: 'so far\n', sessionOpen: false } as const;
          checkResult(result, { ...expected, errorType: 'Timeout' }, stubborn);
          assert.ok(session !== undefined);
          await assert.rejects(session.execute(hello.code), { code: 'SESSION_NOT_FOUND' });
          assert.equal(bench.provider.open.has(session.id), false);
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
            const next = await session.execute(hello.code);
            checkResult(next, { status: 'ok', stdout: 'hello\n' });
          }
        },
      },
      {
        title: 'an abort before the program begins is an error, and nothing runs',
        programs: ['hello'],
        run: async (bench, hello) => {
          const signal = AbortSignal.abort();
          await assert.rejects(bench.run(hello, { signal }), { code: 'ABORTED' });
          await assert.rejects(bench.runOnce(hello, { signal }), { code: 'ABORTED' });
        },
      },
      {
        title: 'an abort after the program has ended changes nothing',
        programs: ['hello'],
        run: async (bench, hello) => {
          const controller = new AbortController();
          const { signal } = controller;
          await bench.check(hello, { status: 'ok', stdout: 'hello\n' }, { signal });
          controller.abort();
          await bench.check(hello, { status: 'ok', stdout: 'hello\n' });
        },
      },
      {
        title: 'a time limit that is not a number of milliseconds, or is too large, is refused',
        programs: ['hello'],
        run: async (bench, hello) => {
          for (const timeoutMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
            await assert.rejects(bench.run(hello, { timeoutMs }), { code: 'OPTION_INVALID' });
          }
        },
      },
      {
        title: 'an abort ends the program, keeps what it printed, and fires the tool’s signal',
        programs: ['waitForTool', 'showKept'],
        run: async (bench, waiting, showing) => {
          const controller = new AbortController();
          const called = toolbox.nextWait();
          const pending = bench.run(waiting, { signal: controller.signal });
          const { context } = await beforeEnd('it called the tool', called, pending);
          assert.equal(context.signal.aborted, false);
          controller.abort();
          assert.equal(context.signal.aborted, true);
          const expected = { status: 'cancelled', stdout: 'so far\n', sessionOpen: true } as const;
          checkResult(await pending, { ...expected, errorType: 'Cancelled' }, waiting);
          await bench.check(showing, { status: 'ok', stdout: '5\n' });
        },
      },
      {
        title:
          'a program that takes too much memory is ended as that, and the next session is fine',
        programs: ['memoryBomb', 'hello'],
        needs: 'memory limit',
        run: async (bench, bomb, hello) => {
          const expected = {
            status: 'memory-limit',
            stdout: 'so far\n',
            sessionOpen: false,
          } as const;
          // On a busy machine, it takes long to fill the memory.
          await bench.check(bomb, expected, { timeoutMs: 240_000 });
          await bench.check(hello, { status: 'ok', stdout: 'hello\n' });
        },
      },
      prints('only so many processes start', 'manyProcesses', 'bounded\n', 'process limit'),
    ],
  };
}

/** A test of a program that does not end by itself. */
function runsOut(
  what: string,
  program: ProgramId,
  needs?: Feature,
  cameThere: (result: ExecutionResult) => boolean = printed('so far'),
): TestDefinition {
  return {
    title: `a program that ${what} past its time ends; what it printed and its state stay`,
    programs: ['hello', program, 'showKept'],
    ...(needs !== undefined && { needs }),
    run: async (bench, hello, endless, showing) => {
      // The time that the interpreter takes to start does not count.
      await bench.check(hello, { status: 'ok' });
      const result = await stoppedAt(cameThere, async (timeoutMs) =>
        bench.run(endless, { timeoutMs }),
      );
      const expected = { status: 'timeout', stdout: 'so far\n', sessionOpen: true } as const;
      const error = { errorType: 'Timeout', errorMessage: /limit of \d+ ms/ };
      checkResult(result, { ...expected, ...error }, endless);
      await bench.check(showing, { status: 'ok', stdout: '5\n' });
    },
  };
}

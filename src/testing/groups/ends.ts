import assert from 'node:assert/strict';
import { createDeferred } from '../../shared/deferred.ts';
import type { Bench } from '../bench.ts';
import type { PreparedProgram } from '../contract-programs.ts';
import type { Kill, TestDefinition, TestGroup } from '../test-definition.ts';
import { createToolbox } from './toolbox.ts';

/** Programs that end their own interpreter, and sandboxes that are ended from outside. */
export function ends(kill: Kill | undefined): TestGroup {
  const toolbox = createToolbox();

  async function killSandboxOf(bench: Bench, sessionId: string): Promise<void> {
    const sandbox = bench.provider.created.get(sessionId);
    assert.ok(sandbox !== undefined && kill !== undefined, 'The session has no sandbox.');
    await kill(sandbox);
  }

  return {
    name: 'ends',
    options: { tools: toolbox.tools },
    tests: [
      losesSession('an interpreter that ends by itself', 'interpreterEnds'),
      losesSession('an interpreter that kills itself', 'interpreterKilled'),
      {
        title: 'a sandbox that is killed under a program is lost, and its tool is told',
        programs: ['waitForTool'],
        needs: 'kill',
        neverWithout: true,
        run: async (bench, waiting) => {
          const sessionId = await bench.open();
          const printed = createDeferred<void>();
          const called = toolbox.nextWait();
          const pending = bench.executor.execute(waiting.code, {
            sessionId,
            onEvent: ({ type }) => {
              if (type === 'output') printed.resolve();
            },
          });
          const reached = await Promise.race([called, pending]);
          assert.ok('context' in reached, JSON.stringify(reached));
          await printed.promise;
          await killSandboxOf(bench, sessionId);
          const { status, stdout, sessionOpen, toolCalls } = await pending;
          assert.deepEqual(
            { status, stdout, sessionOpen, toolCalls },
            { status: 'sandbox-lost', stdout: 'so far\n', sessionOpen: false, toolCalls: 1 },
          );
          assert.equal(reached.context.signal.aborted, true);
          assert.equal(bench.executor.getSession(sessionId), undefined);
        },
      },
      {
        title: 'a sandbox that is killed between runs is a lost session, not a hanging one',
        programs: ['hello'],
        needs: 'kill',
        neverWithout: true,
        run: async (bench, hello) => {
          const sessionId = await bench.open();
          await killSandboxOf(bench, sessionId);
          const closed = createDeferred<void>();
          const watch = setInterval(() => {
            if (bench.executor.getSession(sessionId) === undefined) closed.resolve();
          }, 5);
          await closed.promise;
          clearInterval(watch);
          await assertGone(bench, sessionId, hello);
        },
      },
    ],
  };
}

function losesSession(
  what: string,
  program: 'interpreterEnds' | 'interpreterKilled',
): TestDefinition {
  return {
    title: `${what} loses the session; what was printed stays, and others go on`,
    programs: [program, 'hello'],
    needs: 'ending itself',
    run: async (bench, ending, hello) => {
      const result = await bench.check(ending, {
        status: 'sandbox-lost',
        stdout: 'so far\n',
        sessionOpen: false,
      });
      await assertGone(bench, result.sessionId, hello);
      await bench.check(hello, { status: 'ok', stdout: 'hello\n' });
    },
  };
}

async function assertGone(bench: Bench, sessionId: string, hello: PreparedProgram): Promise<void> {
  await assert.rejects(bench.executor.execute(hello.code, { sessionId }), {
    code: 'SESSION_NOT_FOUND',
  });
}

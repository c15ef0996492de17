import assert from 'node:assert/strict';
import { createDeferred } from '../../../shared/async/deferred.ts';
import { settledWithin } from '../../../shared/async/settled-within.ts';
import type { Session } from '../../../sessions/executor.ts';
import type { Bench } from '../../bench.ts';
import { beforeEnd } from '../../before-end.ts';
import { checkResult } from '../../check-result.ts';
import type { PreparedProgram } from '../../programs/contract-programs.ts';
import type { Kill, TestDefinition, TestGroup } from '../../test-definition.ts';
import { createToolbox } from '../../toolbox.ts';

/** Ends what hangs: on a busy machine, it can take long until the end of a sandbox is known. */
const NOTICED_WITHIN_MS = 120_000;

/** Programs that end their interpreter, and sandboxes that are killed from outside. */
export function ends(kill: Kill | undefined): TestGroup {
  const toolbox = createToolbox();

  async function killSandboxOf(bench: Bench, { id }: Session): Promise<void> {
    const sandbox = bench.provider.created.get(id);
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
        title:
          'a sandbox that is killed while a program runs is lost, and the signal of its tool fires',
        programs: ['waitForTool'],
        needs: 'kill',
        neverWithout: true,
        run: async (bench, waiting) => {
          const session = await bench.open();
          const printed = createDeferred<void>();
          const called = toolbox.nextWait();
          const pending = session.execute(waiting.code, {
            onEvent: ({ type }) => {
              if (type === 'output-delta') printed.resolve();
            },
          });
          const waits = Promise.all([called, printed.promise]);
          const [{ context }] = await beforeEnd('it printed and called the tool', waits, pending);
          await killSandboxOf(bench, session);
          const { status, stdout, sessionOpen, toolCalls } = await pending;
          assert.deepEqual(
            { status, stdout, sessionOpen, toolCalls },
            { status: 'sandbox-lost', stdout: 'so far\n', sessionOpen: false, toolCalls: 1 },
          );
          assert.equal(context.signal.aborted, true);
          assert.equal(await bench.executor.sessionInfo({ id: session.id }), undefined);
        },
      },
      {
        title: 'a sandbox that is killed between programs is a lost session, not a hanging one',
        programs: ['hello'],
        needs: 'kill',
        neverWithout: true,
        run: async (bench, hello) => {
          const session = await bench.open();
          await killSandboxOf(bench, session);
          const closing = session.closing.then(() => undefined);
          assert.ok(
            await settledWithin(closing, NOTICED_WITHIN_MS),
            `The session is still open ${NOTICED_WITHIN_MS / 1000} seconds after kill. The option kill must end the sandbox, and the connection to it must end then.`,
          );
          await assertGone(session, hello);
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
    title: `${what} loses the session; what was printed stays, and the key gets a new one`,
    programs: [program, 'hello'],
    needs: 'ending itself',
    run: async (bench, ending, hello) => {
      const session = await bench.session();
      const lost = { status: 'sandbox-lost', stdout: 'so far\n', sessionOpen: false } as const;
      checkResult(await session.execute(ending.code), lost, ending);
      await assertGone(session, hello);
      // The key of the session gets a new one.
      await bench.check(hello, { status: 'ok', stdout: 'hello\n' });
    },
  };
}

async function assertGone(session: Session, hello: PreparedProgram): Promise<void> {
  await assert.rejects(session.execute(hello.code), { code: 'SESSION_NOT_FOUND' });
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { createDeferred } from '../../../shared/async/deferred.ts';
import { settledWithin } from '../../../shared/async/settled-within.ts';
import { assertMatches } from '../../assert-matches.ts';
import {
  abortStart,
  assertFailed,
  assertNothingLeft,
  closeIfStarted,
  outcomeOf,
  specFor,
  withSandbox,
} from '../../provider-calls.ts';
import { test, type TestGroup } from '../../test-definition.ts';

/** How long `close` of a sandbox may take. It never hangs. */
const CLOSE_LIMIT_MS = 60_000;

/** What the functions of a provider and of its sandboxes do if nobody runs a program. Optional ones are tested if they are there. */
export function providerContract(): TestGroup {
  return {
    name: 'provider',
    options: {},
    tests: [
      test('the check of the provider says that it works, and describes it', async (bench) => {
        const found = await bench.provider.original.probe();
        assertMatches(found, { usable: true, description: /\S/ });
      }),
      test('a function whose signal has fired throws ABORTED', async (bench) => {
        const { original } = bench.provider;
        const options = { signal: AbortSignal.abort() };
        const calls: Readonly<Record<string, Promise<unknown> | undefined>> = {
          probe: original.probe(options),
          prepare: original.prepare?.(options),
          software: original.software?.(options),
          attach: original.attach?.(randomUUID(), options),
          findSandboxes: original.findSandboxes?.(options),
          removeOrphans: original.removeOrphans?.(options),
        };
        const outcomes = Object.entries(calls).flatMap(([name, call]) =>
          call === undefined ? [] : [{ name, ended: outcomeOf(call) }],
        );
        for (const { name, ended } of outcomes) assertFailed(name, await ended, 'ABORTED');
      }),
      test('a start whose signal has fired throws ABORTED, and leaves nothing', async (bench) => {
        const { original } = bench.provider;
        const spec = specFor(bench);
        const outcome = await outcomeOf(original.create(spec, { signal: AbortSignal.abort() }));
        await closeIfStarted(outcome);
        assertFailed('create', outcome, 'ABORTED');
        await assertNothingLeft(original, spec);
      }),
      test('a start whose signal fires meanwhile throws ABORTED', async (bench) => {
        const { original } = bench.provider;
        const spec = specFor(bench);
        const outcome = await abortStart(original, spec, nextTurn());
        // Otherwise it had ended before.
        if (outcome !== undefined) assertFailed('create', outcome, 'ABORTED');
        await assertNothingLeft(original, spec);
      }),
      test('a start leaves nothing, whenever its signal fires', async (bench) => {
        const { original } = bench.provider;
        // The first one may take longer than others: it may build an image.
        await withSandbox(original, specFor(bench), async () => {});
        const beganAt = performance.now();
        let tookMs = 0;
        await withSandbox(original, specFor(bench), async () => {
          tookMs = performance.now() - beganAt;
        });
        for (const part of [0.3, 0.6, 0.9]) {
          const spec = specFor(bench);
          const outcome = await abortStart(original, spec, delay(part * tookMs));
          // It may have ended before, or at the same time.
          if (outcome !== undefined && 'error' in outcome) {
            assertFailed('create', outcome, 'ABORTED');
          }
          await assertNothingLeft(original, spec);
        }
      }),
      test('a provider that was closed starts no sandbox, and throws CLOSED', async (bench) => {
        const closed = bench.newProvider();
        await closed.close();
        const outcome = await outcomeOf(closed.create(specFor(bench)));
        await closeIfStarted(outcome);
        assertFailed('create', outcome, 'CLOSED');
      }),
      test('a provider can be closed again, also at the same time', async (bench) => {
        const own = bench.newProvider();
        try {
          await withSandbox(own, specFor(bench), async () => {});
        } finally {
          await Promise.all([own.close(), own.close()]);
        }
        await own.close();
      }),
      test('a sandbox can be closed again, also at the same time, and its connection ends once, without an error', async (bench) => {
        await withSandbox(bench.provider.original, specFor(bench), async (sandbox) => {
          const ends: unknown[] = [];
          const ended = createDeferred<void>();
          const closed = (error: unknown): void => {
            ends.push(error);
            ended.resolve();
          };
          sandbox.transport.listen({ message: () => {}, closed });
          const close = async (): Promise<void> => {
            await Promise.all([sandbox.close(), sandbox.close()]);
            await sandbox.close();
            await ended.promise;
          };
          assert.ok(
            await settledWithin(close(), CLOSE_LIMIT_MS),
            `The sandbox, or the connection to it, has not ended ${CLOSE_LIMIT_MS / 1000} seconds after close.`,
          );
          sandbox.transport.send({ kind: 'exit' });
          sandbox.transport.destroy();
          assert.deepEqual(ends, [undefined], 'closed of the listener should be called once.');
        });
      }),
      test('two sandboxes have different ids', async (bench) => {
        const { original } = bench.provider;
        await withSandbox(original, specFor(bench), async (one) =>
          withSandbox(original, specFor(bench), async (two) => {
            for (const { id } of [one, two]) assertMatches(id, /\S/);
            assert.notEqual(one.id, two.id, `Two sandboxes have the id ${one.id}.`);
          }),
        );
      }),
      test('the memory of a sandbox is a number of bytes or not known, also after its end', async (bench) => {
        await withSandbox(bench.provider.original, specFor(bench), async (sandbox) => {
          const assertBytes = (bytes: number | undefined): void => {
            assert.ok(
              bytes === undefined || (Number.isSafeInteger(bytes) && bytes >= 0),
              `memoryUsage returned ${bytes}. It should be a whole number of bytes, or undefined.`,
            );
          };
          assertBytes(await sandbox.memoryUsage?.());
          await sandbox.close();
          assertBytes(await sandbox.memoryUsage?.());
        });
      }),
      test('a sandbox reports its protections; after its end, it does so or throws SANDBOX_UNAVAILABLE', async (bench) => {
        await withSandbox(bench.provider.original, specFor(bench), async (sandbox) => {
          const report = await sandbox.security?.();
          if (report === undefined) return;
          assert.ok(report.protections.length > 0, 'The report has no protections.');
          for (const one of report.protections) {
            assertMatches(one, { name: /\S/, asked: /\S/, missing: /\S/ });
            assert.equal(typeof one.holds, 'boolean', JSON.stringify(one));
          }
          await sandbox.close();
          const outcome = await outcomeOf(sandbox.security?.());
          if ('error' in outcome) assertFailed('security', outcome, 'SANDBOX_UNAVAILABLE');
        });
      }),
      test('the software of the sandboxes has names and versions', async (bench) => {
        const software = await bench.provider.original.software?.();
        const interpreters = Object.values(software ?? {});
        for (const { libraries = [], ...interpreter } of interpreters) {
          for (const one of [interpreter, ...libraries]) {
            assertMatches(one, { name: /\S/, version: /\S/ });
          }
        }
      }),
      test('a session without a sandbox has none that could be taken over', async (bench) => {
        assert.equal(await bench.provider.original.attach?.(randomUUID()), undefined);
      }),
      test('a sandbox is listed until it is closed, and is not removed as an orphan', async (bench) => {
        const { original } = bench.provider;
        if (original.findSandboxes === undefined) return;
        const spec = specFor(bench);
        const { sessionId } = spec;
        await withSandbox(original, spec, async () => {
          const removed = (await original.removeOrphans?.()) ?? [];
          assert.deepEqual(
            removed.filter((one) => one.sessionId === sessionId),
            [],
            'removeOrphans removed a sandbox whose owner lives.',
          );
          const found = (await original.findSandboxes?.()) ?? [];
          const own = found.filter((one) => one.sessionId === sessionId);
          assertMatches(own, [{ id: /\S/, state: /\S/, verdict: /^(live|foreign)$/ }]);
        });
        await assertNothingLeft(original, spec);
      }),
    ],
  };
}

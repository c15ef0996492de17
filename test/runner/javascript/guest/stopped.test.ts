import { afterAll, describe, expect, it } from 'vitest';
import type { ExecutionResult } from '../../../../src/execution/execution.ts';
import type { Session } from '../../../../src/sessions/executor.ts';
import { SandboxExecutor } from '../../../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../../../src/tools/registry/registry.ts';
import { unisolatedLocalProvider } from '../../../support/local-provider.ts';

let stop = new AbortController();
const executor = new SandboxExecutor({
  provider: unisolatedLocalProvider(),
  languages: ['javascript'],
  tools: new ToolRegistry([
    { name: 'begun', description: 'Has the program stopped.', run: () => stop.abort() },
  ]),
});
afterAll(() => executor.close());

/** Runs a program in a new session until it calls `begun`. */
async function stopOnceBegun(
  code: string,
): Promise<{ readonly session: Session; readonly stopped: ExecutionResult }> {
  stop = new AbortController();
  const session = await executor.acquire();
  return { session, stopped: await session.execute(code, { signal: stop.signal }) };
}

describe('a program of Node that is stopped', () => {
  it.each([
    'function again() { process.nextTick(again) }\nagain()',
    'function again() { queueMicrotask(again) }\nagain()',
    'function again() { setImmediate(again); process.nextTick(() => {}) }\nagain()',
    'const { AsyncLocalStorage } = require("node:async_hooks");\nfunction again() { process.nextTick(again) }\nnew AsyncLocalStorage().run(1, again)',
    'for (;;) { try { await Promise.reject(new Error("x")) } catch {} }',
    'function again() { setTimeout(again); for (let i = 0; i < 100; i++) process.nextTick(() => queueMicrotask(() => {})) }\nagain()',
  ])('keeps its session, amid whatever it was: %s', async (flood) => {
    const session = await executor.acquire();
    await session.execute('globalThis.kept = 42');
    for (let turn = 0; turn < 14; turn += 1) {
      const signal = AbortSignal.timeout(1 + turn);
      const code = `${flood}; await new Promise(() => {})`;
      const stopped = await session.execute(code, { signal });
      expect([turn, stopped]).toMatchObject([turn, { status: 'cancelled', sessionOpen: true }]);
      const next = await session.execute(
        'await new Promise((resolve) => setTimeout(resolve, 1));\nkept',
      );
      expect([turn, next]).toMatchObject([turn, { status: 'ok', stdout: '42\n', stderr: '' }]);
    }
    await session.destroy();
  });

  it('keeps its session if Node drops the interrupt', async () => {
    // Node reads this while it records a rejection, and ignores what is thrown there.
    const dropped = `let is = false;
Object.defineProperty(process, 'domain', { configurable: true, get() { if (is) return; is = true; begun(); for (;;); } });
Promise.reject(new Error('x')).catch(() => {});
Object.defineProperty(process, 'domain', { value: null });
await new Promise((resolve) => setTimeout(resolve, 1e5));`;
    const { session, stopped } = await stopOnceBegun(`globalThis.kept = 42;\n${dropped}`);
    expect(stopped).toMatchObject({
      status: 'cancelled',
      // If the session is lost, it says why.
      error: { message: 'the program was cancelled' },
      sessionOpen: true,
    });
    expect(await session.execute('kept')).toMatchObject({ status: 'ok', stdout: '42\n' });
    await session.destroy();
  });

  // The interrupt comes 20 ms after the program was stopped: amid what Node does there.
  const wait = 'begun();\nconst end = performance.now() + 200;\nwhile (performance.now() < end);';
  const amidHook = `require('node:async_hooks').createHook({ init(id, type) { if (type !== 'Timeout' || globalThis.is) return; globalThis.is = true;\n${wait} } }).enable();`;

  it.each([
    [
      'it makes an immediate',
      `const first = setImmediate(() => {});\nlet next = null;\nObject.defineProperty(first, '_idleNext', { get: () => next, set(value) { next = value;\n${wait} } });\nsetImmediate(() => {});`,
    ],
    ['it makes a timer', `${amidHook}\nsetTimeout(() => {}, 1);`],
    ['it makes one of the module', `${amidHook}\nrequire('node:timers').setTimeout(() => {}, 1);`],
    ['it makes one of a signal', `${amidHook}\nAbortSignal.timeout(1);`],
    ['it makes a promise for one', `${amidHook}\nrequire('timers/promises').setTimeout(1);`],
    ['intervals of the module are left', "require('timers').setInterval(() => {}, 1e5);\nbegun();"],
    ['promises for timers are left', "require('timers/promises').setTimeout(1e5);\nbegun();"],
    [
      'it computes after such a promise',
      "await require('timers/promises').setTimeout(1);\nbegun();",
    ],
  ])('leaves the timers of later programs as they were, where %s', async (_, code) => {
    const { session, stopped } = await stopOnceBegun(`globalThis.kept = 42;\n${code}\nfor (;;);`);
    expect(stopped).toMatchObject({ status: 'cancelled', sessionOpen: true });
    const next = await session.execute(
      'setTimeout(() => {}, 1e5).unref();\nawait new Promise((resolve) => setImmediate(() => setTimeout(resolve, 1)));\nkept',
    );
    expect(next).toMatchObject({ status: 'ok', stdout: '42\n', stderr: '' });
    await session.destroy();
  });

  it('is told to have ended though an interrupt cut its end short', async () => {
    const { session, stopped } = await stopOnceBegun(
      "globalThis.kept = 42;\nprocess.on('exit', () => {});\nprocess.once('removeListener', () => { for (;;); });\nbegun();\nawait new Promise(() => {});",
    );
    expect(stopped).toMatchObject({ status: 'cancelled', sessionOpen: true });
    expect(await session.execute('kept')).toMatchObject({ stdout: '42\n' });
    await session.destroy();
  });

  it.each([
    ['Headers', 'typeof new Response("").text'],
    ['fetch("data:,").catch(() => {})', 'typeof new Response("").text'],
    ['require("http2")', 'typeof require("http2").connect'],
    ['await import("node:https")', 'typeof (await import("node:http")).get'],
  ])('has %s loaded whole, for later programs', async (load, check) => {
    // So that the interrupt, 20 ms after the program was stopped, comes amid the load.
    const briefly = 'const end = performance.now() + 20;\nwhile (performance.now() < end);';
    const { session, stopped } = await stopOnceBegun(`begun();\n${briefly}\n${load};\nfor (;;);`);
    expect(stopped).toMatchObject({ status: 'cancelled', sessionOpen: true });
    expect(await session.execute(check)).toMatchObject({ stdout: 'function\n' });
    await session.destroy();
  });
});

import { afterAll, describe, expect, it } from 'vitest';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';

const executor = new SandboxExecutor({
  sandbox: unisolatedLocalProvider(),
  languages: ['javascript'],
});
afterAll(() => executor.close());

describe('a program of Node that is stopped', () => {
  it.each([
    'function again() { process.nextTick(again) }\nagain()',
    'function again() { queueMicrotask(again) }\nagain()',
    'function again() { setImmediate(again); process.nextTick(() => {}) }\nagain()',
    'function again() { setTimeout(again); for (let i = 0; i < 100; i++) process.nextTick(() => queueMicrotask(() => {})) }\nagain()',
    'const { AsyncLocalStorage } = require("node:async_hooks");\nfunction again() { process.nextTick(again) }\nnew AsyncLocalStorage().run(1, again)',
  ])('keeps its session, amid whatever it was: %s', async (flood) => {
    const { sessionId } = await executor.execute('globalThis.kept = 42', { reuseSession: true });
    for (let turn = 0; turn < 14; turn += 1) {
      const signal = AbortSignal.timeout(1 + turn);
      const code = `${flood}; await new Promise(() => {})`;
      const stopped = await executor.execute(code, { sessionId, signal });
      expect([turn, stopped]).toMatchObject([turn, { status: 'cancelled', sessionOpen: true }]);
      const next = await executor.execute(
        'await new Promise((resolve) => setTimeout(resolve, 1));\nkept',
        { sessionId },
      );
      expect([turn, next]).toMatchObject([turn, { status: 'ok', stdout: '42\n', stderr: '' }]);
    }
    await executor.closeSession(sessionId);
  });

  it('goes on with a file that is being read, and then no more', async () => {
    const code =
      "require('node:fs').promises.readFile('/etc/passwd').then(() => console.log('read'));\nfor (;;);";
    const stopped = await executor.execute(code, { reuseSession: true, timeoutMs: 200 });
    expect(stopped).toMatchObject({ status: 'timeout', stdout: 'read\n', sessionOpen: true });
    const { sessionId } = stopped;
    expect(await executor.execute('1', { sessionId })).toMatchObject({ stdout: '1\n' });
    await executor.closeSession(sessionId);
  });

  it('ends with its sandbox where it goes on with files for ever', async () => {
    const code = "for (;;) await require('node:fs').promises.readFile('/etc/passwd')";
    const stopped = await executor.execute(code, { reuseSession: true, timeoutMs: 200 });
    expect(stopped).toMatchObject({ status: 'timeout', sessionOpen: false });
  });
});

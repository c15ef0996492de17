import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ProgramChecker, SessionChecker } from '../../src/languages/program-checker.ts';
import type { HostMessage } from '../../src/protocol/messages.ts';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import type { Session } from '../../src/sessions/executor.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { createDeferred, type Deferred } from '../../src/shared/async/deferred.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { openShop, outcomes } from './deferred/shop.ts';
import { useExecutors } from './support.ts';

/** The intervals are turned by hand, sandboxes and their streams are real. */
const IDLE_MS = 40_000;
const LONG_MS = 100_000;

const make = useExecutors();
let begun: Deferred<void>;
let gate: Deferred<void>;

/** Stands in for the compilers: refuses one program, and holds another until the gate opens. */
const sessionChecker: SessionChecker = {
  onlyWarns: false,
  check: async ({ code }) => {
    if (code === 'held') {
      begun.resolve();
      await gate.promise;
    }
    if (code !== 'refused') return undefined;
    return { type: 'TypeError', message: 'wrong', line: 1, report: 'wrong', advice: 'wrong' };
  },
  lastFailed: () => {},
};
const checker: ProgramChecker = {
  follow: () => sessionChecker,
  warmUp: async () => {},
  close: async () => {},
};
vi.mock(import('../../src/languages/load-type-checker.ts'), () => ({
  loadTypeChecker: async () => checker,
}));

/** What a sandbox is told whose time begins anew: its own is a little longer than its session's. */
function renewals(length: number): readonly unknown[] {
  const renewal = { kind: 'attach', attach_id: 'renewal', idle_limit_ms: IDLE_MS + 10_000 };
  return Array.from({ length }, () => renewal);
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  begun = createDeferred();
  gate = createDeferred();
});

afterEach(() => {
  gate.resolve();
  vi.useRealTimers();
});

/** A persistent session that has run a program, and what its sandbox is told about its time from now on. */
async function open(
  options: SandboxExecutorOptions = {},
): Promise<{ readonly session: Session; readonly told: HostMessage[] }> {
  const told: HostMessage[] = [];
  const local = unisolatedLocalProvider();
  const provider: SandboxProvider = {
    ...local,
    create: async (...request) => {
      const sandbox = await local.create(...request);
      const { transport } = sandbox;
      const send = transport.send.bind(transport);
      vi.spyOn(transport, 'send').mockImplementation((message) => {
        if (message.kind === 'attach') told.push(message);
        send(message);
      });
      return sandbox;
    },
    attach: async () => undefined,
  };
  const { executor } = make({ provider, sessionIdleTimeoutMs: IDLE_MS, ...options });
  const session = await executor.acquire({ sessionKey: randomUUID(), persistent: true });
  await session.execute('kept = 1');
  told.length = 0;
  return { session, told };
}

it('the sandbox of a persistent session lives on while calls that its program deferred are decided', async () => {
  const { options } = openShop({}, async () => {
    begun.resolve();
    await gate.promise;
    return { approved: true };
  });
  const { session, told } = await open(options);
  const running = session.execute('await pay(amount=1)');
  await begun.promise;
  vi.advanceTimersByTime(LONG_MS);
  expect(told).toEqual(renewals(5));
  gate.resolve();
  const result = await running;
  expect(result).toMatchObject({ status: 'ok', sessionOpen: true });
  expect(outcomes(result)).toEqual(['1 done']);
  expect(told.splice(0)).toEqual(renewals(6));
  expect(await session.execute('print(kept)')).toMatchObject({ stdout: '1\n' });
});

it('the sandbox of a persistent session lives on while a program is checked', async () => {
  const { session, told } = await open({ checkTypes: 'error' });
  const running = session.execute('held');
  await begun.promise;
  vi.advanceTimersByTime(LONG_MS);
  expect(told).toEqual(renewals(5));
  gate.resolve();
  await running;
});

it('the time of a persistent sandbox begins anew with a program that is refused', async () => {
  const { session, told } = await open({ checkTypes: 'error' });
  const refused = await session.execute('refused');
  expect(refused).toMatchObject({ success: false, sessionOpen: true });
  expect(told).toEqual(renewals(1));
});

it('a persistent sandbox is not told anything that would stop its program, or while nobody uses it', async () => {
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    run: async () => {
      begun.resolve();
      await gate.promise;
    },
  });
  const { session, told } = await open({ tools: [wait] });
  const running = session.execute('await wait()\nprint(kept)');
  await begun.promise;
  await session.files.list();
  vi.advanceTimersByTime(LONG_MS);
  expect(told).toEqual([]);
  gate.resolve();
  expect(await running).toMatchObject({ status: 'ok', stdout: '1\n' });
  told.length = 0;
  vi.advanceTimersByTime(LONG_MS);
  expect(told).toEqual([]);
});

it('a persistent session that ends leaves no timer', async () => {
  const { session } = await open();
  await session.destroy();
  // That of the executor's cleanup.
  expect(vi.getTimerCount()).toBe(1);
});

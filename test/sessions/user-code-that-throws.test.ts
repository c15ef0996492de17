import { describe, expect, it } from 'vitest';
import type { AuditEntry, AuditLog } from '../../src/audit/entry.ts';
import type { Sandbox, SandboxProvider } from '../../src/sandbox/sandbox.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { inBackground } from '../../src/shared/async/background.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';
import { auditLog } from '../support/audit-log.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { useExecutors } from './support.ts';

const makeExecutor = useExecutors();

/** With one place, which a second program gets only if the first gave it back. */
function make(options: SandboxExecutorOptions = {}) {
  return makeExecutor({ maxSandboxes: 1, whenFull: { action: 'reject' }, ...options });
}

function fail(): never {
  throw new Error('code of the user');
}

function throwingLog(changes: Partial<AuditLog>): AuditLog {
  return { ...auditLog(() => {}), ...changes };
}

describe('an audit log of the user’s that throws', () => {
  const TYPES = [
    'session-opened',
    'program-started',
    'program-ended',
    'session-closed',
  ] as const satisfies readonly AuditEntry['type'][];
  it.for(TYPES)('for the entry %s takes no place and stops no program', async (type) => {
    const record = (entry: AuditEntry): void => {
      if (entry.type === type) fail();
    };
    const { executor, provider } = make({ audit: throwingLog({ record }) });
    for (const text of ['1', '2']) {
      expect((await executor.execute(`print(${text})`)).stdout).toBe(`${text}\n`);
    }
    expect(provider.open.size).toBe(0);
  });

  it.for([
    ['throws', fail],
    ['rejects', async () => fail()],
  ] as const)('has room if its `ready` %s', async ([, ready]) => {
    const { executor } = make({ audit: throwingLog({ ready }) });
    expect((await executor.execute('print(1)')).stdout).toBe('1\n');
    expect((await executor.execute('print(2)')).stdout).toBe('2\n');
  });
});

/** The local provider with sandboxes that are changed, the first one only. */
function changing(change: (sandbox: Sandbox) => Sandbox): SandboxProvider {
  const local = unisolatedLocalProvider();
  let isFirst = true;
  return {
    ...local,
    create: async (...args) => {
      const sandbox = await local.create(...args);
      const changed = isFirst ? change(sandbox) : sandbox;
      isFirst = false;
      return changed;
    },
  };
}

describe('a provider of the user’s that throws', () => {
  it('takes no place if `close` of a sandbox throws', async () => {
    const close = (sandbox: Sandbox): Sandbox => ({
      ...sandbox,
      close: () => {
        inBackground(sandbox.close());
        return fail();
      },
    });
    const { executor } = make({ provider: changing(close) });
    expect((await executor.execute('print(1)')).stdout).toBe('1\n');
    expect((await executor.execute('print(2)')).stdout).toBe('2\n');
  });

  it('takes no place and leaves no sandbox if its transport throws', async () => {
    const listen = (sandbox: Sandbox): Sandbox => ({
      ...sandbox,
      transport: new Proxy(sandbox.transport, { get: fail }),
    });
    const provider = new RecordingProvider(changing(listen));
    const { executor } = make({ provider });
    await expect(executor.execute('print(1)')).rejects.toThrow('code of the user');
    expect(provider.open.size).toBe(0);
    expect((await executor.execute('print(2)')).stdout).toBe('2\n');
  });

  it('takes no place if `create` throws', async () => {
    const { executor } = make({ provider: { ...unisolatedLocalProvider(), create: fail } });
    for (let count = 0; count < 2; count += 1) {
      await expect(executor.execute('print(1)')).rejects.toThrow('code of the user');
    }
  });
});

describe('a listener of the user’s that throws', () => {
  it('takes no place', async () => {
    const { executor } = make({ onExecutorEvent: fail, onProgress: fail });
    expect((await executor.execute('print(1)')).stdout).toBe('1\n');
    expect((await executor.execute('print(2)')).stdout).toBe('2\n');
  });

  it('is not the reason why no provider is chosen', async () => {
    const { executor } = make({ provider: 'auto', onProgress: fail });
    const name = executor.providerName().catch(String);
    expect(await name).not.toContain('code of the user');
  });
});

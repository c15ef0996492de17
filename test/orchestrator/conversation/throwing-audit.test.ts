import { expect, it, onTestFinished, vi } from 'vitest';
import type { AuditLog } from '../../../src/audit/entry.ts';
import type { Executor } from '../../../src/sessions/executor.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { auditLog } from '../../support/audit-log.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { converse, says, uses } from '../support.ts';

function fail(): never {
  throw new Error('code of the user');
}

const LOG = auditLog(() => {});

/** An executor of the user's own with an audit log, which nothing guards. */
function ownExecutor(audit: AuditLog): Executor {
  const executor = new SandboxExecutor({ provider: unisolatedLocalProvider() });
  return new Proxy<Executor>(executor, {
    get: (target, name) => {
      if (name === 'audit') return audit;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const PAY = {
  name: 'pay',
  description: 'Pays.',
  allowedCallers: ['direct'],
  run: () => 'paid',
} as const;

const CASES = [
  ['`record` of a conversation’s own log throws', { record: fail }, false],
  ['`record` of the log of a user’s executor throws', { record: fail }, true],
  ['`record` of a conversation’s own log rejects', { record: async () => fail() }, false],
  ['`ready` of a conversation’s own log throws', { ready: fail }, false],
  ['`ready` of a conversation’s own log rejects', { ready: async () => fail() }, false],
] as const;

it.each(CASES)(
  'if %s, direct calls have their results and the process a warning',
  async (_, changes, isExecutors) => {
    const warnings = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => warnings.mockRestore());
    const audit = { ...LOG, ...changes };
    const executor = isExecutors ? ownExecutor(audit) : undefined;
    const { orchestrator, results } = converse([[uses('pay', {})], says('Done.')], {
      toolList: [PAY],
      ...(executor === undefined ? { audit } : { executor }),
    });
    expect((await orchestrator.run('Pay.')).text).toBe('Done.');
    expect(results(1)).toEqual([{ text: '"paid"', isError: false }]);
    expect(warnings).toHaveBeenCalledWith(expect.stringContaining('code of the user'), {
      code: 'PTC_AUDIT_FAILED',
    });
    await executor?.close();
  },
);

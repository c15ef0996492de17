import {
  ApprovalQueue,
  APPROVE_OPTIONS,
  QUEUE_OPTIONS,
  REJECT_OPTIONS,
} from '../../../src/tools/policy/approval-queue.ts';
import {
  DECIDE_BATCH_OPTIONS,
  type ApprovalBatch,
} from '../../../src/tools/policy/batches/approval-batch.ts';
import { checkGrant, GRANT_OPTIONS } from '../../../src/tools/policy/grants/grant.ts';
import type { Target } from './target.ts';

/** Those of approvals, by the name that errors give the object. */
export const APPROVAL_TARGETS: Readonly<Record<string, Target>> = {
  ApprovalQueue: {
    names: QUEUE_OPTIONS.names,
    page: 'policy.md',
    call: (options) => new ApprovalQueue(options),
  },
  approve: {
    names: APPROVE_OPTIONS.names,
    page: 'policy.md',
    accepts: { arguments: 'all' },
    call: (options) => new ApprovalQueue().approve('id', options),
  },
  decideBatch: {
    names: DECIDE_BATCH_OPTIONS.names,
    page: 'policy.md',
    accepts: { grant: 'all' },
    call: (options) => {
      const queue = new ApprovalQueue();
      const { signal } = new AbortController();
      const batch = { id: 'id' } as ApprovalBatch;
      queue.askBatch(batch, { signal, check: () => {} }).catch(() => {});
      queue.decideBatch('id', { others: { approved: true } }, options);
    },
  },
  grant: {
    names: GRANT_OPTIONS.names,
    page: 'policy.md',
    base: { calls: 1 },
    call: (grant) =>
      checkGrant(grant, { caller: 'code', sessionId: 'session', arguments: { to: 'anna' } }),
  },
  reject: {
    names: REJECT_OPTIONS.names,
    page: 'policy.md',
    base: { reason: 'no' },
    call: (options) => new ApprovalQueue().reject('id', options),
  },
};

import { expect, it } from 'vitest';
import { describeExecution } from '../../src/execution/describe-execution.ts';
import { PtcError, type PtcErrorCode } from '../../src/shared/errors.ts';

it.each<readonly [PtcErrorCode, string | undefined, string, string]>([
  ['SANDBOX_LOST', undefined, 'sandbox-lost', 'SandboxLost'],
  ['SANDBOX_LOST', 'Evicted', 'sandbox-lost', 'SandboxLost'],
  ['SANDBOX_LOST', 'memory', 'memory-limit', 'InterpreterEnded'],
  ['PROTOCOL_VIOLATION', 'memory', 'protocol-error', 'ProtocolViolation'],
])('a sandbox that ends with %s for the reason %s: %s', (code, reason, status, type) => {
  const lost = new PtcError(code, 'It ended.', { details: { reason } });
  const end = { outcome: undefined, value: undefined, stopCause: undefined, lost };
  expect(describeExecution(end)).toMatchObject({ status, error: { type, message: 'It ended.' } });
});

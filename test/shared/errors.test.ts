import { expect, test } from 'vitest';
import { asError, PtcError } from '../../src/shared/errors.ts';

test('an error as JSON has its message, and neither its cause nor its stack', () => {
  const error = new PtcError('CLOSED', 'The executor was closed.', {
    details: { key: 'k' },
    cause: new Error('/root/secret.mjs'),
  });
  expect(JSON.parse(JSON.stringify({ type: 'run-failed', error }))).toEqual({
    type: 'run-failed',
    error: {
      name: 'PtcError',
      code: 'CLOSED',
      message: 'The executor was closed.',
      details: { key: 'k' },
    },
  });
});

test('a thrown value that cannot be read is not an error of this package, and has an error made of it', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(PtcError.isInstance(proxy)).toBe(false);
  expect(asError(proxy).message).toBe('a value that cannot be shown was thrown');
});

import { expect, test } from 'vitest';
import { PtcError } from '../../src/shared/errors.ts';

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

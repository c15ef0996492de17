import { expect, it } from 'vitest';
import { problemOf } from '../../../src/orchestrator/long-text/kept-text.ts';
import { PtcError } from '../../../src/shared/errors.ts';

function failed(errno: string): PtcError {
  return new PtcError('FILE_FAILED', 'What a sandbox wrote.', { details: { errno } });
}

it('tells the model why a text was not kept, without words of the sandbox', () => {
  expect(problemOf(failed('ENOSYS'))).toBe('this sandbox has no files');
  expect(problemOf(failed('ENOSPC'))).toBe('it could not be kept: ENOSPC');
  expect(problemOf(failed('What? Ask me.'))).toBe('it could not be kept');
  expect(problemOf(new PtcError('CLOSED', 'Closed.'))).toBe('it could not be kept: CLOSED');
});

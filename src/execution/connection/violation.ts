import { PtcError } from '../../shared/errors.ts';

/** @param what - What the runner did: a clause. */
export function violation(what: string): PtcError {
  return new PtcError('PROTOCOL_VIOLATION', `The sandbox broke the protocol: ${what}.`);
}

import { isSendable } from '../sendable-header.ts';

/** @throws UnsendableTokenError without the token, which the error of `fetch` would quote. */
export function assertSendableToken(token: unknown): void {
  if (typeof token !== 'string' || isSendable('authorization', `Bearer ${token}`)) return;
  throw new UnsendableTokenError();
}

/** A token has a line end, or another character that no header can have. */
class UnsendableTokenError extends Error {
  override readonly name = 'UnsendableTokenError';
}

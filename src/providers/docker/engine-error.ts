import { messageOf } from '../../shared/errors.ts';

/** The status of an engine's HTTP answer; undefined where there was none. */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** What the engine said, without what its client adds: `(HTTP code 400) bad parameter - `. */
export function reasonOf(error: unknown): string {
  return messageOf(error)
    .replace(/^\(HTTP code \d+\) [^-]*- /, '')
    .trim();
}

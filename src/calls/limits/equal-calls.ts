import { hash } from 'node:crypto';
import { SizedMap } from '../../shared/sized-map.ts';

/** How many different calls of a program are known at a time: about 300 kB. */
const MOST_CALLS = 2000;

/**
 * How often a program made each call. Only digests are kept, of the calls that were made most
 * recently: a program that calls again and again makes few different calls between two equal ones.
 */
export class EqualCalls {
  readonly #counts: SizedMap<string, number> = new SizedMap(MOST_CALLS);

  /**
   * Counts a call, and returns how often it was made, this one included.
   * @param argumentsText - The same text for equal arguments.
   */
  count(toolName: string, argumentsText: string): number {
    // JSON text has no line breaks, and a name may have anything.
    const digest = hash('sha256', `${argumentsText}\n${toolName}`, 'base64');
    const count = (this.#counts.get(digest) ?? 0) + 1;
    this.#counts.set(digest, count);
    return count;
  }
}

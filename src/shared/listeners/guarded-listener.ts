import { types } from 'node:util';
import { messageOf } from '../errors.ts';
import { warn } from '../process-warning.ts';

/**
 * Wraps a listener so that its errors become warnings of the process. That includes the rejection
 * of an async listener, which would otherwise end the process.
 */
export function guardedListener<Event>(
  listener: (event: Event) => unknown,
): (event: Event) => void {
  return (event) => {
    try {
      const result = listener(event);
      if (types.isPromise(result)) result.catch(warnOfError);
    } catch (error) {
      warnOfError(error);
    }
  };
}

function warnOfError(error: unknown): void {
  warn(`An event listener threw: ${messageOf(error)}`);
}

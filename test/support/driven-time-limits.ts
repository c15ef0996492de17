import { onTestFinished } from 'vitest';

/** A time limit that somebody has set. */
export interface TimeLimit {
  readonly ms: number;
  /** What happens when the time is over. */
  readonly end: () => void;
}

/** Lets each `AbortSignal.timeout` of the test fire when the test says so. @returns all of them, in their order. */
export function driveTimeLimits(): readonly TimeLimit[] {
  const limits: TimeLimit[] = [];
  const timeout = Reflect.get(AbortSignal, 'timeout');
  Reflect.set(AbortSignal, 'timeout', (ms: number) => {
    // As Node does.
    if (!Number.isInteger(ms)) throw new RangeError(`The delay ${ms} is not an integer.`);
    const controller = new AbortController();
    const end = (): void => controller.abort(new DOMException('too late', 'TimeoutError'));
    limits.push({ ms, end });
    return controller.signal;
  });
  onTestFinished(() => void Reflect.set(AbortSignal, 'timeout', timeout));
  return limits;
}

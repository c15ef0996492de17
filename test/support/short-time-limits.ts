import { onTestFinished } from 'vitest';

/** Lets each `AbortSignal.timeout` of the test fire after so long. Keeps no signal, as a mock of vitest would. */
export function shortenTimeLimits(limitMs: number): void {
  const timeout = Reflect.get(AbortSignal, 'timeout');
  Reflect.set(AbortSignal, 'timeout', () => timeout.call(AbortSignal, limitMs));
  onTestFinished(() => void Reflect.set(AbortSignal, 'timeout', timeout));
}

import { expect } from 'vitest';
import type { Session } from '../../src/sessions/executor.ts';

/** Stops a program after a time, wherever it is by then, and expects its session to be open. */
export async function stopAfter(session: Session, code: string, delayMs: number): Promise<void> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), delayMs);
  try {
    const stopped = await session.execute(code, { signal: stop.signal });
    expect(stopped.sessionOpen, `${stopped.error?.message}: ${code}`).toBe(true);
  } catch (error) {
    // Stopped before it began.
    expect(error).toMatchObject({ code: 'ABORTED' });
  }
  clearTimeout(timer);
}

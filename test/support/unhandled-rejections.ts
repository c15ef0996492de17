/**
 * What rejects without a handler during some work and in the turns of the event loop after it. It would end a process
 * of Node.
 */
export async function rejectionsDuring(work: () => Promise<void>): Promise<unknown[]> {
  const reasons: unknown[] = [];
  const onUnhandled = (reason: unknown): void => void reasons.push(reason);
  // The listeners of the test runner would fail the test without saying which part of it was at fault.
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', onUnhandled);
  try {
    await work();
    for (let turns = 0; turns < 5; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    process.off('unhandledRejection', onUnhandled);
    for (const other of others) process.on('unhandledRejection', other);
  }
  return reasons;
}

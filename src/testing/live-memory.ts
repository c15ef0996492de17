import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * The memory that values of this process take, in bytes, without those that nothing refers to any
 * more. What the system gives the process, by contrast, also shrinks and grows with its garbage.
 */
export async function liveMemoryBytes(): Promise<number> {
  collectGarbage();
  // Buffers that were found are released afterwards, on another thread.
  await nextTurn();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function collectGarbage(): void {
  try {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
  } catch {
    // Another engine than V8 may have no such function. Then the figure includes garbage.
  }
}

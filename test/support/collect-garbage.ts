import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Cleans up the memory of this process. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
}

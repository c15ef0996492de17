import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { isAlive } from '../providers/embedded/support.ts';

/** Of sandboxes whose ids are those of processes, those that are there. */
export async function listLiving(created: ReadonlyMap<string, Sandbox>): Promise<string[]> {
  const ids = [...created.values()].map(({ id }) => id);
  const alive = await Promise.all(ids.map(async (id) => isAlive(id)));
  return ids.filter((_, index) => alive[index]);
}

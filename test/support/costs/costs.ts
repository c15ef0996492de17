import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** What a test file costs. */
export interface FileCost {
  readonly seconds: number;
  /**
   * Of the file's process and of the processes below it that have ended. Containers, and what a sandbox leaves to its
   * spawner, are not in it.
   */
  readonly processorSeconds: number;
  readonly sandboxes: number;
}

const FILE = new URL('costs.json', import.meta.url);

/** What each test file cost when that was last measured, by its path. */
export function readCosts(): Readonly<Record<string, FileCost>> {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, FileCost>;
}

/** Replaces what is known of these files, and forgets files that are gone. */
export function updateCosts(measured: Readonly<Record<string, FileCost>>): void {
  const all = Object.entries({ ...readCosts(), ...measured });
  const known = all.filter(([path]) => existsSync(path)).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = known.map(([path, cost]) => `  ${JSON.stringify(path)}: ${JSON.stringify(cost)}`);
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
}

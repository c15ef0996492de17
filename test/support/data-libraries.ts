import { spawnSync } from 'node:child_process';

/** Why tests with the libraries for data of this machine are skipped; undefined if it has them. */
export function missingLibraries(): string | undefined {
  const { status } = spawnSync('/usr/bin/python3', ['-c', 'import matplotlib, openpyxl, pandas']);
  return status === 0 ? undefined : '/usr/bin/python3 has no pandas, matplotlib or openpyxl';
}

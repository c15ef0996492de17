// Installs version 7 of the AI SDK for its tests. It asks for a newer Node than it needs, so it is not among the development
// packages of this one, which Node 20 must be able to install.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FILES = ['package.json', 'package-lock.json'].map((name) => join(import.meta.dirname, name));
const hash = createHash('sha256');
for (const file of FILES) hash.update(readFileSync(file));

/** Where it is, below the cache of this package, by what is installed. */
export const DIRECTORY = resolve(
  import.meta.dirname,
  `../../../node_modules/.cache/ai-sdk-7-${hash.digest('hex').slice(0, 16)}`,
);

export default function setup() {
  if (existsSync(DIRECTORY)) return;
  const unfinished = `${DIRECTORY}-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    for (const file of FILES)
      cpSync(file, join(unfinished, file.slice(import.meta.dirname.length)));
    const flags = ['--engine-strict=false', '--prefer-offline', '--no-audit', '--no-fund'];
    execFileSync('npm', ['ci', ...flags], { cwd: unfinished, stdio: 'pipe' });
    renameSync(unfinished, DIRECTORY);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
